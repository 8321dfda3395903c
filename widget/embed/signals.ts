/**
 * `@preact/signals` for the panel of the script tag, by the build: components that read signals, without what the package adds for
 * signals in JSX and for hooks, which nothing of the widget uses.
 */
import { Component, options } from 'preact';
import { effect } from '@preact/signals-core';

export * from '@preact/signals-core';

/** A component that was rendered. */
interface Tracked extends Component {
  /** Ends the watch over the signals that the last render has read. */
  untrack?(): void;
}

/** Preact's own hooks, the first by the name that its build gives it. */
interface Hooks {
  /** Before each render. */
  __r?(node: { __c: Tracked }): void;
  unmount?(node: { __c: Tracked | null }): void;
}

const hooks = options as unknown as Hooks;

/** Wraps a component's `render` once: it renders again when a signal changes that its last render has read. */
hooks.__r = ({ __c: component }) => {
  if (component.untrack) return;
  const { render } = component;
  component.untrack = () => {};
  component.render = (...inputs) => {
    let draw: (() => ReturnType<typeof render>) | undefined;
    component.untrack!();
    component.untrack = effect(() => {
      if (draw) return component.setState({});
      try {
        const drawn = render.apply(component, inputs);
        draw = () => drawn;
      } catch (fault) {
        // Thrown in here it would end the effect: what cannot be drawn now may be after the next change.
        draw = () => {
          throw fault;
        };
      }
    });
    return draw!();
  };
};

hooks.unmount = ({ __c: component }) => component?.untrack?.();

/** Like the package: without a signal that changed, a component renders again only for other properties. */
Component.prototype.shouldComponentUpdate = function (next, state) {
  const before: Readonly<Record<string, unknown>> = this.props;
  const after: Readonly<Record<string, unknown>> = next;
  return state !== this.state || Object.keys({ ...before, ...after }).some((name) => before[name] !== after[name]);
};
