import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { Component } from 'preact';
import { useMemo } from 'preact/hooks';

/** The hooks of `@preact/signals`, which is built without them (widget/embed/signals.ts). */

export const useSignal = <T>(value: T): Signal<T> => useMemo(() => signal(value), []);
export const useComputed = <T>(compute: () => T): ReadonlySignal<T> => useMemo(() => computed(compute), []);

// The router changes what a component of the same properties shows: all render again with what is around them.
delete Component.prototype.shouldComponentUpdate;
