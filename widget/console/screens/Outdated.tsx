import { Button } from '../parts/controls.tsx';

/** In place of a screen whose file is gone: the server has been upgraded since, or cannot be reached. */
export const Outdated = () => (
  <>
    <p>This screen could not be loaded: the server has been upgraded, or cannot be reached.</p>
    <div>
      <Button kind="primary" onClick={() => location.reload()}>
        Reload
      </Button>
    </div>
  </>
);
