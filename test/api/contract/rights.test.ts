import Router from '@koa/router';
import { expect, it } from 'vitest';
import { operations } from '../../../server/api/router.ts';
import { register, type ApiDeps, type Operation } from '../../../server/api/requests/operation.ts';
import { isRight } from '../../../server/api/requests/rights.ts';

const all = operations({} as ApiDeps);

it('does not start with an operation that declares no right, or one that there is not', () => {
  const [one] = all as [Operation, ...Operation[]];
  for (const right of [undefined, '', 'anybody', 'constructor'])
    expect(() => register(new Router(), {} as never, { ...one, right } as never)).toThrow('declares no right');
  register(new Router(), {} as never, one);
  expect(all.filter(({ right }) => !isRight(right))).toEqual([]);
});
