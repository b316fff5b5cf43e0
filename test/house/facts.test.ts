/** Each fact stands in one file, and other files import it. A row has the text of a fact and its file. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { currencyNames } from '../../src/protocol/platform/currencies.js'
import { signatureErrors } from '../../src/protocol/platform/endpoints.js'
import { eventNames } from '../../src/protocol/platform/events.js'
import { operations } from '../../src/protocol/platform/limits.js'
import { statusesOf } from '../../src/protocol/platform/transitions.js'

const root = join(import.meta.dirname, '../..')

interface Source {
  path: string
  text: string
}

interface Fact {
  fact: string
  pattern: RegExp
  home: string
  /** Files that repeat the fact for a reason: quotations of the documentation. */
  besides?: readonly RegExp[]
}

/** Headers of §5 and §6.1 and the sandbox's own; `X-Content-Type-Options` is not our own header. */
const ownHeader =
  /\bX-(Signature|Timestamp|Nonce|Sandbox|Sandbox-Scenario|Sandbox-Error|Sandbox-Admin-Token|Request-Id|Webhook-[A-Z][a-z]+)\b/i
/** Figures with a unit. */
const figure = /\b((\d+|two|five|seven|ten|thirty) (s|seconds?|minutes|days|KB|MB|decimals)|15 digits)\b/

/** Durations that the page offers or counts down. */
const offered = [/^src\/dashboard\/(main|views\/overview|parts\/frame\/palette|parts\/plots\/activity)\.tsx$/]

/** At least so many of the names side by side: in a list, a union of types, or prose. */
function listOf(names: readonly string[], least: number): RegExp {
  const name = `\\b(${names.join('|').replaceAll('.', '\\.')})\\b['"\`]?`
  return new RegExp(`${name}(\\s*(,|\\||\\b(and|or)\\b)+\\s*['"\`]?${name}){${least - 1},}`)
}

const pairInProse = new RegExp(`\\b(${currencyNames.join('|')}) (and|or) (${currencyNames.join('|')})\\b`)

const facts: readonly Fact[] = [
  {
    fact: 'the currencies',
    pattern: new RegExp(`${listOf(currencyNames, 3).source}|${pairInProse.source}`),
    home: 'src/protocol/platform/currencies.ts',
  },
  {
    fact: 'the operations',
    pattern: listOf(operations, 4),
    home: 'src/protocol/platform/limits.ts',
  },
  {
    fact: 'the events',
    pattern: listOf(eventNames, 3),
    home: 'src/protocol/platform/events.ts',
  },
  {
    fact: 'the statuses of a dispute',
    pattern: listOf(statusesOf('dispute'), 3),
    home: 'src/protocol/platform/transitions.ts',
  },
  {
    fact: 'the statuses of a transaction',
    pattern: listOf(statusesOf(...operations), 3),
    home: 'src/protocol/platform/transitions.ts',
    // The three ways in which a withdrawal ends.
    besides: [/^src\/features\/certify\/client\/payer-simulator\.ts$/],
  },
  {
    fact: 'the error codes of a signature',
    pattern: listOf(signatureErrors, 3),
    home: 'src/protocol/platform/endpoints.ts',
  },
  {
    fact: 'the secrets of the demonstration accounts',
    pattern: /\b(whsec|sk|secret)_sandbox_|\$\{kind\}_sandbox_|0{40}/,
    home: 'src/core/auth/account.ts',
  },
  {
    fact: 'the User-Agent of webhooks',
    pattern: /Service-Webhook\//,
    home: 'src/protocol/platform/headers.ts',
  },
  {
    fact: 'where the files of the program are',
    pattern: /import\.meta|__dirname|node:sea/,
    home: 'src/runtime/node/program.ts',
    // Node must find the compiled library.
    besides: [/^src\/runtime\/node\/sqlite\/sqlite\.ts$/],
  },
  { fact: 'the default port', pattern: /\b4010\b/, home: 'src/protocol/settings/process.ts' },
  {
    fact: 'the pattern of user names',
    pattern: /\[a-z0-9\]\[a-z0-9\._-\]|a-z, 0-9, dot, hyphen/,
    home: 'src/protocol/platform/fields.ts',
  },
  {
    fact: 'the pattern of scenario names',
    pattern: /\[a-z0-9\]\+\(-\[a-z0-9\]\+\)|a-z and 0-9 joined/,
    home: 'src/protocol/platform/fields.ts',
  },
  {
    fact: 'the form of a signature',
    pattern: /\[(0-9a-f|a-f0-9|\\da-f|a-f\\d)\]\{64\}/i,
    home: 'src/base/crypto.ts',
  },
  {
    fact: 'the decimals of a percentage',
    pattern: /percentPlaces = |\b1_000_000n\b|at most 4 (decimals|places)/,
    home: 'src/protocol/platform/limits.ts',
    // Parts per million of any value.
    besides: [/^src\/base\/money\.ts$/],
  },
  {
    fact: 'the pauses between attempts to deliver a webhook',
    pattern: /\[1, 5, 30, 120, 600\]|after 1 s, 5 s, 30 s/,
    home: 'src/protocol/platform/limits.ts',
  },
  {
    fact: 'the pause before work that the store refused is tried again',
    pattern: /\b(retryMs|storeRetryMs) = /,
    home: 'src/protocol/platform/limits.ts',
  },
  {
    fact: 'the names of our headers',
    pattern: ownHeader,
    home: 'src/protocol/platform/headers.ts',
  },
  {
    fact: 'the outcomes of a delivery attempt in words',
    pattern: /\bconnect_timeout: ['"`]/,
    home: 'src/protocol/platform/failures.ts',
  },
  {
    fact: 'the errors of creating and deleting workspaces',
    pattern: /A workspace named|workspaces already|as many workspaces|workspaces is reached|workspace default cannot/,
    home: 'src/core/workspace/workspace.ts',
  },
  {
    fact: 'the frame of a JUnit report',
    pattern: /<testsuites|<testcase/,
    home: 'src/cli/terminal/report-writer.ts',
    // Recognizes a report file before it replaces it.
    besides: [/^src\/runtime\/node\/files\/output\.ts$/],
  },
  {
    fact: 'defaults that are figures in prose',
    pattern: /default: ([a-z]+, after )?(?!1\b)\d/,
    home: 'src/protocol/platform/limits.ts',
  },
  {
    fact: 'limits with their units in prose',
    pattern: figure,
    home: 'src/protocol/platform/limits.ts',
    besides: offered,
  },
]

/** Removes comments, which may name a figure, and examples of commands: the explanation of an example belongs to it. */
const withoutComments = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\/|(["'])payments-sandbox [^\n]*?\1:\s*(["'`])[^\n]*?\2(?=,| })/g, (part) =>
      part.replace(/[^\n]/g, ' '),
    )
    .replace(/(^|\s)\/\/ .*$/gm, '$1')

const sources: readonly Source[] = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile() && /\.tsx?$/.test(file.name))
  .map((file) => join(file.parentPath, file.name).slice(root.length + 1))
  .filter((path) => !path.startsWith('src/client/types/'))
  .map((path) => ({ path, text: withoutComments(readFileSync(join(root, path), 'utf8')) }))

function repetitions({ pattern, home, besides = [] }: Fact, files: readonly Source[]): string[] {
  // A list can run over several lines.
  const each = new RegExp(pattern, `${pattern.flags}gm`)
  return files
    .filter(({ path }) => path !== home && !besides.some((one) => one.test(path)))
    .flatMap(({ path, text }) =>
      [...text.matchAll(each)].map(({ index }) => {
        const line = text.slice(0, index).split('\n').length
        return `${path}:${line} ${text.split('\n')[line - 1]?.trim()}`
      }),
    )
}

describe('a fact in one file', () => {
  test.each(facts)('is checked: $fact in $home', (fact) => {
    expect(repetitions(fact, sources)).toEqual([])
  })

  test('is reported when a second file repeats it, and a comment is not', () => {
    const port = facts.filter(({ fact }) => fact === 'the default port')
    const found = (text: string) =>
      port.flatMap((fact) => repetitions(fact, [{ path: 'src/cli/planted.ts', text: withoutComments(text) }]))
    expect(found('const port = 4010')).toEqual(['src/cli/planted.ts:1 const port = 4010'])
    expect(found('/** Such as port 4010. */')).toEqual([])
  })

  test('has an existing home', () => {
    expect(facts.map(({ home }) => home).filter((home) => !sources.some(({ path }) => path === home))).toEqual([])
  })
})
