import { expect, test } from 'vitest';
import { tokensOf } from '../../../widget/view/code/tokens.ts';

const read = (name: string, code: string): string[] =>
  tokensOf(code, name).map(({ kind, start, end }) => `${kind} ${code.slice(start, end)}`);

test.each<[string, string, string[]]>([
  ['js', 'const a = `x\n${1}`; // no "string"', ['keyword const', 'string `x\n${1}`', 'comment // no "string"']],
  ['JSON', '{"a": [1.5e3, true]}', ['string "a"', 'number 1.5e3', 'keyword true']],
  [
    'python',
    'def f():\n  """a\n  b"""\n  return 0x1f # x',
    ['keyword def', 'string """a\n  b"""', 'keyword return', 'number 0x1f', 'comment # x'],
  ],
  ['java', 'public int a = 7;', ['keyword public', 'keyword int', 'number 7']],
  ['c++', "/* a\nb */ auto x = 'c';", ['comment /* a\nb */', 'keyword auto', "string 'c'"]],
  ['c#', 'var s = "a\\"b";', ['keyword var', 'string "a\\"b"']],
  ['go', 'func f() { s := `a` }', ['keyword func', 'string `a`']],
  ['rust', "fn f<'a>(x: &'a str) -> char { 'b' }", ['keyword fn', "string 'b'"]],
  ['php', "<?php echo 'a'; # b", ['keyword php', 'keyword echo', "string 'a'", 'comment # b']],
  ['sql', 'SELECT 1 FROM t -- all', ['keyword SELECT', 'number 1', 'keyword FROM', 'comment -- all']],
  ['sh', 'echo "$#" # count', ['keyword echo', 'string "$#"', 'comment # count']],
  ['sh', 'echo a#b', ['keyword echo']],
])('finds the tokens of %s: %s', (name, code, tokens) => {
  expect(read(name, code)).toEqual(tokens);
});

test.each(['', 'Code', 'brainfuck', 'constructor', '__proto__'])('finds none where the language is “%s”', (name) => {
  expect(read(name, 'const a = "b"; // c')).toEqual([]);
});

test('takes time in proportion to the length of hostile code', () => {
  for (const code of ['"\\', '/*', '`', "'", '# ', '"""', '1_'].map((piece) => piece.repeat(20_000)))
    for (const name of ['js', 'python', 'c', 'rust', 'sh', 'sql'])
      expect(tokensOf(code, name).length).toBeLessThan(50_000);
}, 60_000);
