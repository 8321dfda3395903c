import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { nodesOf, parse, sourcesOf } from './source.ts';

const LINES = 300;

const ways =
  /^(?:innerHTML|outerHTML|insertAdjacentHTML|setHTMLUnsafe|createContextualFragment|dangerouslySetInnerHTML)$/;

const sources = ['widget', 'server', 'demo'].flatMap(sourcesOf);

/** `file:line` of every node of these files that a rule forbids. */
function found(files: string[], forbidden: (node: ts.Node) => boolean): string[] {
  return files.flatMap((file) => {
    const tree = parse(file);
    const at = (node: ts.Node): string => `${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    return nodesOf(tree).filter(forbidden).map(at);
  });
}

const isDefaultExport = (node: ts.Node): boolean =>
  (ts.isExportAssignment(node) && !node.isExportEquals) ||
  (node.kind === ts.SyntaxKind.DefaultKeyword && !ts.isDefaultClause(node.parent));

/** `return one.outerHTML` reads markup and sets none. */
const isReturned = ({ parent }: ts.Node): boolean =>
  ts.isPropertyAccessExpression(parent) && ts.isReturnStatement(parent.parent);

const isHtmlWay = (node: ts.Node): boolean =>
  ((ts.isIdentifier(node) || ts.isStringLiteralLike(node)) && ways.test(node.text) && !isReturned(node)) ||
  (ts.isPropertyAccessExpression(node) && /^document\.write(?:ln)?$/.test(node.getText()));

const isEnvironment = (node: ts.Node): boolean =>
  ts.isPropertyAccessExpression(node) && node.getText() === 'process.env';

describe('the source', () => {
  test(`has files of at most ${LINES} lines`, () => {
    const linesOf = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length;
    const long = sources.filter((file) => linesOf(file) > LINES).map((file) => `${file}: ${linesOf(file)}`);
    expect(long).toEqual([]);
  });

  test('exports by name only', () => {
    // A declaration file says what somebody else's package exports.
    expect(
      found(
        sources.filter((file) => !file.endsWith('.d.ts')),
        isDefaultExport,
      ),
    ).toEqual([]);
  });

  test('has no enum and no any', () => {
    expect(found(sources, (node) => ts.isEnumDeclaration(node) || node.kind === ts.SyntaxKind.AnyKeyword)).toEqual([]);
  });

  test('switches off no check of types or lint', () => {
    const off = /@ts-(?:ignore|nocheck|expect-error)|(?:eslint|oxlint)-disable/;
    expect(sources.filter((file) => off.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  test('sets no markup from strings', () => {
    expect(found(sources, isHtmlWay)).toEqual([]);
  });

  test('reads environment variables only in boot and the development server', () => {
    const others = sources.filter((file) => !/^server\/(?:main|boot|cli\/run|dev\/vite-plugin)\.ts$/.test(file));
    expect(found(others, isEnvironment)).toEqual([]);
    const start = sources.filter((file) => /^server\/(?:main|cli\/run)\.ts$/.test(file));
    const reads = (node: ts.Node): boolean =>
      isEnvironment(node) && (ts.isPropertyAccessExpression(node.parent) || ts.isElementAccessExpression(node.parent));
    expect(found(start, reads)).toEqual([]);
  });
});
