import { Empty } from '../parts/controls.tsx';
import { Frame } from '../parts/Frame.tsx';

export const NotFound = () => (
  <Frame title="No such screen">
    <Empty title="Nothing is at this address">
      It may have been deleted, mistyped, or of a newer version. <a href="/console/">Go to your chatbots</a>
    </Empty>
  </Frame>
);
