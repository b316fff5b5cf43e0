/** The page that compares the sandbox with other tools: each claim about the sandbox links to its page, and a test shows it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isOfRemoved } from '../support/features.js'
import { root } from '../support/packed.js'

const page = readFileSync(join(root, 'docs/alternatives.md'), 'utf8')

/** The cells of the rows below a heading, without the two rows of the head. */
const rowsBelow = (heading: string): string[][] =>
  (page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')))
    .filter(([first = '']) => !/^(-|capability$|\|)/.test(first))

const sentencesAbout = (text: string) => text.split(/(?<=\.) (?=[A-Z])/).filter((one) => /\b(we|ours?)\b/i.test(one))
const bullets = (page.split('## What payments-sandbox adds\n')[1] ?? '').match(/^- \*\*.*$/gm) ?? []

/** Each claim by its beginning. Sentences of the first table stand below the capability. */
const claims: [claim: string, text: string][] = [
  ...rowsBelow('What other tools offer').flatMap(([capability = '', cell = '']) =>
    sentencesAbout(cell).map((text): [string, string] => [capability, text]),
  ),
  ...rowsBelow('Payment emulators').map(([capability = '', cell = '']): [string, string] => [capability, cell]),
  ...bullets.map((text): [string, string] => [/\*\*\[?(.+?)(\]\(.*)?\.?\*\*/.exec(text)?.[1] ?? '', text]),
]

/** The title of a test that shows the claim, or its beginning. */
const shownBy: Readonly<Record<string, string>> = {
  "The vendor's own behavior": 'the page about the platform API names the assumed part of each documented field',
  'Checks against the real platform': 'a comparison finds each setting of a platform once, with its value',
  'Recording of real traffic': 'a recording of every endpoint contains no secrets and no personal data',
  'Metrics and traces': 'metrics count calls by route, status and code, and webhook attempts by outcome',
  'A published single binary without a runtime': 'the executable needs no Node, no home, no other file',
  'Random failures of other services': 'an injected error is retryable and has no effect',
  'Runs without a network': 'the API page loads nothing from elsewhere',
  'Keeps state': 'SIGTERM and SIGINT stop the sandbox with exit code 0, and its database file contains all changes',
  Webhooks: 'events have the documented headers, signed over the exact bytes',
  'Webhook retries': 'planned responses are used in order, the last one repeats, and the retry schedule follows them',
  'Controllable clock': 'passes, freezes, resumes where it stopped, and can be advanced',
  'Failures on request': 'faults occur about as often as their shares say, and the ledger stays balanced',
  'Saves and restores state': 'a snapshot restores balances, objects, tokens, queue and clock, as often as requested',
  'Isolated environments': 'have their own accounts, clock, queue and tokens',
  'This platform': '%s creates its object and succeeds, with its events and a balanced ledger',
  'A ledger that can be audited': 'doctor finds nothing wrong with a healthy sandbox',
  Certification: 'there are at least forty planted faults, and one for every rule that a receiver can fail by itself',
  'Marked assumptions': 'marks everything that the interface does not show',
}

test('a test shows each claim about the sandbox, and the claim links to the page that describes it', () => {
  expect(claims.map(([claim]) => claim)).toEqual(Object.keys(shownBy))
  const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('alternatives.test.ts'))
    .map((file) => readFileSync(join(root, 'test', file), 'utf8'))
  for (const [claim, text] of claims.filter(([, text]) => !isOfRemoved(text))) {
    const links = [...text.matchAll(/\]\(([a-z-]+\.md)(?:#[a-z-]+)?\)/g)].map(([, file = '']) => file)
    expect(links, `${claim}: ${text}`).not.toEqual([])
    for (const file of links) expect(existsSync(join(root, 'docs', file)), file).toBe(true)
    expect(
      tests.some((source) => source.includes(shownBy[claim] ?? claim)),
      claim,
    ).toBe(true)
  }
})
