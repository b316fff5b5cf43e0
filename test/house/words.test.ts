/** The words of the project: left-out words do not occur in strings, comments, identifiers, titles and pages. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isOfRemoved } from '../support/features.js'

const root = join(import.meta.dirname, '../..')

/** Words that must not occur, each with its replacement. They match words of text and parts of identifiers: `untilTold` contains `told`. */
const leftOut: readonly (readonly [pattern: string, instead: string])[] = [
  ['mend(s|ed|ing)?', 'fix or repair'],
  ['where absent', 'the default: "(default: …)"'],
  ['where (it|they|both|one|any) (is|are) absent', '"if … is missing"'],
  ['unless (set|told|said)', '"(default: …)"'],
  ['(un)?told', 'report, format, describe'],
  ['made up', 'generated'],
  ['said no', 'rejected'],
  ['(hand|hands|handed|handing) on', 'forward'],
  ['faked', 'platform API'],
  ['journal', 'request log'],
  ['believable', 'sample data'],
  ['hardships?', 'fault injection'],
  ['unseen', 'inconclusive'],
  ['wish(es)?', 'options or filter'],
  // American spelling.
  ['behaviours?', 'behavior'],
  ['colour(s|ed)?', 'color'],
  ['licences?', 'license'],
  ['artefacts?', 'artifact'],
  ['(recogn|normal|serial|organ|summar|initial|synchron)is(e|es|ed|ing|ation)', 'the form with z'],
  ['neighbours?|favours?|honours?', 'the form with -or'],
  ['labelled|cancelling|modelling', 'the form with one l'],
  ['is no (name|number|setting|address|duration|parameter|currency|variable)', '"is not a …"'],
]

const patternOf = (text: string) => new RegExp(`(?<![a-z])(${text})(?![a-z])`, 'i')

const anyWord = patternOf(leftOut.map(([pattern]) => pattern).join('|'))

/** Splits identifiers into words: `untilTold` and `until_told` become `until Told` and `until told`. */
const inWords = (text: string) => text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/(?<=[a-z])_(?=[a-z])/gi, ' ')

/** Returns the findings in a text, as `path:line word: write …`. */
function wordsIn(path: string, text: string): string[] {
  const words = inWords(text)
  // Most texts have no left-out word, so one search is enough for them.
  if (!anyWord.test(words)) return []
  return words.split('\n').flatMap((line, at) =>
    leftOut.flatMap(([pattern, instead]) => {
      const found = patternOf(pattern).exec(line)?.[0]
      return found === undefined ? [] : [`${path}:${at + 1} "${found}": write ${instead}`]
    }),
  )
}

/** Titles of tests that do not make sense alone. */
const titlesIn = (path: string, text: string): string[] =>
  [...text.matchAll(/\b(?:test|it|describe)(?:\.each\([\s\S]*?\))?\(\s*(['"`])(of\b.*?)\1/gi)].map(
    ([, , title = '']) => `${path} "${title}": begin with the subject`,
  )

/** Lines where a left-out word is correct, with the reason. */
const exceptions: readonly { path: string; line: RegExp }[] = [
  // SQLite's own words.
  { path: 'src/runtime/node/sqlite/', line: /journal_mode|-journal/ },
  { path: 'examples/', line: /journal_mode/ },
  { path: 'test/cli/', line: /-journal'/ },
  { path: 'test/support/kills/', line: /-journal\)/ },
  // The phrase of a status line, which may be any text.
  { path: 'test/record/passing.test.ts', line: /201 Made Up|201, 'Made Up'/ },
  // The names of a field and of a type in vectors.json; the packages and their tests; commands that begin with these words.
  { path: 'test/platform/rails.test.ts', line: /normalis(ed|ing)/ },
  { path: 'packages/', line: /behaviour/i },
  { path: 'test/', line: /behaviour/i },
  // The list itself.
  { path: 'test/house/words.test.ts', line: /./ },
]

const filesIn = (folder: string, pattern: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && pattern.test(file.name))
    .map((file) => join(file.parentPath, file.name).slice(root.length + 1))

const all = [
  ...filesIn('src', /\.tsx?$/),
  ...filesIn('docs', /\.md$/),
  ...filesIn('scenarios', /\.yaml$/),
  ...filesIn('examples', /\.(mjs|py)$/),
  ...filesIn('packages', /\.(md|py|java|go|php)$/),
  ...filesIn('test', /\.(ts|mjs|cjs)$/),
  ...['package.json', 'llms.txt', 'README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
]

/** Lines that are exceptions become empty, so that line numbers stay. */
function textOf(path: string): string {
  const excepted = exceptions.filter((one) => path.startsWith(one.path))
  return readFileSync(join(root, path), 'utf8')
    .split('\n')
    .map((line) => (excepted.some((one) => one.line.test(line)) ? '' : line))
    .join('\n')
}

describe('the words of the project', () => {
  test('are used: left-out words do not occur', () => {
    expect(all.length).toBeGreaterThan(700)
    expect(all.flatMap((path) => wordsIn(path, textOf(path)))).toEqual([])
  })

  test('stand in files without a mark of an unresolved merge', () => {
    expect(all.filter((path) => /^(<{7}|>{7}) /m.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
  })

  test('have exceptions only for lines that exist', () => {
    const idle = exceptions.filter(
      ({ path, line }) =>
        !isOfRemoved(path) &&
        !all.some((one) => one.startsWith(path) && line.test(readFileSync(join(root, one), 'utf8'))),
    )
    expect(idle).toEqual([])
  })

  test('are checked in a comment, a string, an identifier and a title', () => {
    const planted = ['// How to mend it.', "const help = 'a name (3 where absent)'", 'const untilTold = 1', 'MEND_IT']
    expect(planted.map((line) => wordsIn('planted', line).length)).toEqual([1, 1, 1, 1])
    expect(wordsIn('planted', 'an amendment of the recommended wishlist').length).toBe(0)
  })
})

describe('the titles of tests', () => {
  test('do not begin with "of"', () => {
    const files = filesIn('test', /\.test\.ts$/)
    expect(files.flatMap((path) => titlesIn(path, readFileSync(join(root, path), 'utf8')))).toEqual([])
  })

  test('are reported when they begin with "of"', () => {
    const begin = `${'te'}st(`
    expect(titlesIn('planted', `${begin}'of two, the newest wins', () => {})`)).toHaveLength(1)
    expect(titlesIn('planted', `${begin}'two of them win', () => {})`)).toEqual([])
  })
})
