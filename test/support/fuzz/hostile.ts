/** Hostile values as JSON text, and valid values by the name of the field. */
import { oneOf } from '../chance.js'

export const hostileJson: readonly [string, ...string[]] = [
  ...(['null', 'true', '{}', '[]', '[[]]', '{"id":{}}', '""', '" "', '-0', '-1', '0.1', '1e300', '-1e300'] as const),
  ...['1e400', '9'.repeat(400), `0.${'1'.repeat(400)}`, '9223372036854775808', '1e-400', '2.0000000001', '1E5'],
  ...['"1e300"', `"${'9'.repeat(400)}"`, '"9223372036854775808"', '"NaN"', '"Infinity"', '"0x10"', '"1,00"', '"-5"'],
  ...['"\\u0000"', '"\\ud800"', '"\\u202e"', '"\\r\\nX: 1"', '"__proto__"', '"constructor"', `"${'a'.repeat(5000)}"`],
  ...[
    '"🎉"',
    '"\'; drop table jobs; --"',
    '"../../etc/passwd"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the notation of scenarios
    '"${a}"',
    '"${"',
    '"%00"',
    '"2026-02-30"',
    '"https://["',
  ],
  ...[
    '{"__proto__":{"a":1}}',
    '[1,[2,[3,[4,[5]]]]]',
    `${'['.repeat(40)}1${']'.repeat(40)}`,
    '"31-12-2026"',
    '"-1s"',
    '"1e9d"',
  ],
]

/** Valid values by the name of the field. */
export const rightJson: Readonly<Record<string, readonly [string, ...string[]]>> = {
  amount: ['10', '1.5', '0.01', '"10.00"', '100000'],
  currency: ['"BRL"', '"USDT"', '"MXN"', '"BTC"'],
  base_currency: ['"BRL"', '"USDT"'],
  destination_currency: ['"USDT"', '"BRL"', '"BTC"'],
  chain: ['"tron"', '"ethereum"'],
  network: ['"tron"', '"arbitrum"'],
  grant_type: ['"client_credentials"'],
  key: ['"52998224725"', '"maria@example.com"'],
  username: ['"customer"', '"merchant"'],
  document: ['"52998224725"'],
  postback_url: ['"http://127.0.0.1:9/hook"', 'null'],
  action: ['"cashin.pay"', '"cashin.refund"', '"cashout.fail"', '"dispute.open"', '"dispute.lose"', '"wallet.deposit"'],
  by: ['"1s"', '"10m"', '60'],
  until: ['"idle"'],
  mode: ['"manual"', '"realtime"'],
  wait: ['"1s"', '0'],
  BRL: ['"500.00"', '1'],
  path: ['"/v2/transactions/cashin"'],
  url: ['"http://127.0.0.1:9/hook"'],
  from_date: ['"2026-01-01"'],
  to_date: ['"2030-01-01"'],
}

/** Damages a text: inverts, removes or repeats bytes, or replaces a value. */
export function mangled(text: string, chance: () => number): string {
  const at = Math.floor(chance() * (text.length + 1))
  const values = [...text.matchAll(/"[^"\\]{0,200}"|-?\d[\d.eE+-]{0,40}|true|false|null/g)]
  const one = values[Math.floor(chance() * values.length)]
  return oneOf(chance, [
    () => text.slice(0, at),
    () => text.slice(0, at) + oneOf(chance, ['}', '{', '"', '[', ']', ',', ':', '\0', '\\', '\n']) + text.slice(at + 1),
    () => text.slice(0, at) + text.slice(at, at + 40).repeat(Math.ceil(chance() * 30)) + text.slice(at),
    () => text.replace('{', '{"amount":1,"amount":2,"__proto__":{"a":1},'),
    ...Array.from(
      { length: 4 },
      () => () =>
        one === undefined
          ? text
          : text.slice(0, one.index) + oneOf(chance, hostileJson) + text.slice(one.index + one[0].length),
    ),
  ])()
}
