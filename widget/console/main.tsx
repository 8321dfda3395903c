import { render } from 'preact';
import { start } from './account.ts';
import { Console } from './Console.tsx';

// The router would throw at an address that is no text.
try {
  decodeURIComponent(location.pathname);
} catch {
  history.replaceState(null, '', '/console/');
}

render(<Console />, document.getElementById('console')!);
void start();
