/** What a first answer does without until it is there, in a file of its own. */
export { Actions } from './Actions.tsx';
export { greet } from './greet.tsx';
export { compare, restore, settle } from './history.ts';
export { Marker } from './Marker.tsx';
export { default as style } from './style.css?inline';
export { later } from '../words/later.ts';
