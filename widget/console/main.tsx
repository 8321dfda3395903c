import { render } from 'preact';
import { start } from './account/account.ts';
import { Console } from './Console.tsx';
import { askBeforeLeaving } from './leave.ts';

// The router would throw at an address that is no text.
try {
  decodeURIComponent(location.pathname);
} catch {
  history.replaceState(null, '', '/console/');
}

askBeforeLeaving();
render(<Console />, document.getElementById('console')!);
start();
