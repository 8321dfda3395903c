import { render } from 'preact';
import { start } from './account.ts';
import { Console } from './Console.tsx';

render(<Console />, document.getElementById('console')!);
void start();
