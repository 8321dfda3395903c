import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

export interface Import {
  file: string;
  /** Relative ones as a path from the project's folder, packages as written. */
  target: string;
  typeOnly: boolean;
}

/** TypeScript files of one folder of the project, as paths from the project's folder. */
export function sourcesOf(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.tsx?$/.test(name)).map((name) => join(folder, name));
}

export function parse(file: string): ts.SourceFile {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true, kind);
}

export function nodesOf(tree: ts.SourceFile): ts.Node[] {
  const all: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    all.push(node);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return all;
}

/** Every import, re-export, `import()` and `import('…').Type` of a file. */
export function importsOf(file: string): Import[] {
  return nodesOf(parse(file)).flatMap((node) => {
    const [name, typeOnly] = named(node);
    return name === undefined ? [] : [{ file, target: resolved(file, name), typeOnly }];
  });
}

function named(node: ts.Node): [string | undefined, boolean] {
  if (ts.isImportDeclaration(node)) return [textOf(node.moduleSpecifier), typesAlone(node.importClause)];
  if (ts.isExportDeclaration(node)) return [textOf(node.moduleSpecifier), node.isTypeOnly];
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return [textOf(node.argument.literal), true];
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return [textOf(node.arguments[0]), false];
  }
  return [undefined, false];
}

const textOf = (node: ts.Node | undefined): string | undefined =>
  node && ts.isStringLiteralLike(node) ? node.text : undefined;

const typesAlone = (clause: ts.ImportClause | undefined): boolean =>
  clause?.phaseModifier === ts.SyntaxKind.TypeKeyword;

function resolved(file: string, name: string): string {
  const path = name.split('?')[0] ?? name;
  return path.startsWith('.') ? relative('.', join(dirname(file), path)) : path;
}
