/** References resolve inside the repository: sections of docs/interface.md, numbers of decisions in docs/assumptions.md, and the links between the pages. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { assumptionsPage } from '../../scripts/docs/assumptions.js'
import { interfacePage } from '../../scripts/docs/interface.js'
import { assumptionRows } from '../../src/protocol/platform/assumptions.js'
import { platformSettingNames } from '../../src/protocol/settings/platform.js'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const pages = { interface: read('docs/interface.md'), assumptions: read('docs/assumptions.md') }

/** The numbers of the headings whose anchor is the same number. */
const sections = [...pages.interface.matchAll(/^#{2,3} <a id="section-([\d-]+)"><\/a>(\d+(?:\.\d+)?)\.? \S/gm)].flatMap(
  ([, anchor = '', number = '']) => (anchor === number.replace('.', '-') ? [number] : []),
)
/** The numbers of the rows whose anchor is the same number. */
const decisions = [...pages.assumptions.matchAll(/^\| <a id="decision-(\d+)"><\/a>(\d+) \| \S/gm)]
  .flatMap(([, anchor = '', number = '']) => (anchor === number ? [Number(number)] : []))
  .sort((one, other) => one - other)
  .map(String)

/** The numbered rules of a section. */
function rulesOf(section: string): string[] {
  const [, after = ''] = pages.interface.split(`<a id="section-${section.replace('.', '-')}"></a>`)
  return [...(after.split(/^#{2,3} /m)[0] ?? '').matchAll(/^(\d+)\. /gm)].map(([, number = '']) => number)
}

const list = '\\d+(?:(?:,| and|, and| to) \\d+)*'
const numbersIn = (text: string) => text.match(/\d+/g) ?? []

/** Returns the references without a heading. Sections of RFCs do not count. */
function unresolved(text: string): string[] {
  // A comment of several lines is one text.
  const flat = text.replace(/\n\s*(?:\*|\/\/)? */g, ' ')
  const missing = (found: string, numbers: readonly string[], known: readonly string[]) =>
    numbers.every((number) => known.includes(number)) ? [] : [found]
  return [
    ...[...flat.matchAll(/(?<!RFC \d+ )§ ?(\d+(?:\.\d+)*)(?:, rule (\d+))?/g)].flatMap(
      ([found, section = '', rule]) => [
        ...missing(found, [section], sections),
        ...(rule === undefined ? [] : missing(found, [rule], rulesOf(section))),
      ],
    ),
    ...[...flat.matchAll(new RegExp(`\\bparts? (${list})`, 'gi'))].flatMap(([found, numbers = '']) =>
      missing(found, numbersIn(numbers), sections),
    ),
    ...[...flat.matchAll(new RegExp(`\\bdecisions? (${list})`, 'gi'))].flatMap(([found, numbers = '']) =>
      missing(found, numbersIn(numbers), decisions),
    ),
  ]
}

function filesIn(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && pattern.test(file.name))
    .map((file) => join(file.parentPath, file.name).slice(root.length + 1))
}

test('the page about the platform API has all sections of its nine parts, and the page of assumptions each decision once', () => {
  const expected = '1 2 2.1 2.2 2.3 2.4 2.5 3 4 4.1 4.2 4.3 5 5.1 5.2 5.3 6 6.1 6.2 6.3 6.4 6.5 6.6 7 8 9'
  expect(sections).toEqual(expected.split(' '))
  expect(decisions).toEqual(Array.from({ length: 46 }, (_, at) => String(at + 1)))
})

test('every section, part and decision that code, tests and pages refer to has a heading', () => {
  const sources = ['src', 'test', 'scripts', 'bench'].flatMap((folder) => filesIn(folder, /\.(tsx?|m?js)$/))
  const texts = [...filesIn('docs', /\.md$/), ...readdirSync(root).filter((name) => name.endsWith('.md'))]
  const files = [...sources, ...texts].filter((path) => path !== 'test/house/references.test.ts')
  expect(files.length).toBeGreaterThan(500)
  expect(files.flatMap((path) => unresolved(read(path)).map((reference) => `${path}: ${reference}`))).toEqual([])
})

test('a comment of src names the page of the section or the decision that it refers to', () => {
  const comments = filesIn('src', /\.tsx?$/).flatMap((path) =>
    [...read(path).matchAll(/\/\*\*[\s\S]*?\*\/|(?:^ *\/\/.*\n)+/gm)].map(([found]) => `${path}: ${found}`),
  )
  expect(comments.length).toBeGreaterThan(2000)
  const unnamed = (reference: RegExp, page: string) => (comment: string) =>
    reference.test(comment.replace(/RFC \d+,? (?:and \d+)?§/g, '')) && !comment.includes(page)
  expect(comments.filter(unnamed(/§ ?\d/, 'interface.md'))).toEqual([])
  expect(comments.filter(unnamed(/\bdecisions? \d/i, 'assumptions.md'))).toEqual([])
})

test('a reference without a heading is found, whatever form it has', () => {
  const planted = '§99.9 §6.3 §6.1, rule 7 §6.1, rule 8 part 10 (decisions 3 to 5,\n * 80) Decision 81 RFC 9110 §10.1.1'
  expect(unresolved(planted)).toEqual(['§99.9', '§6.1, rule 8', 'part 10', 'decisions 3 to 5, 80', 'Decision 81'])
})

/** The possible targets of links: explicit anchors, and headings as a code host names them. */
function anchorsOf(page: string): Set<string> {
  const explicit = [...page.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text
      .replace(/<[^>]+>/g, '')
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
  return new Set([...explicit, ...headings])
}

test('every link on a page leads to a file or a heading', () => {
  const pagesWithLinks = ['README.md', 'CONTRIBUTING.md', 'llms.txt', ...filesIn('docs', /\.md$/)]
  const wrong = pagesWithLinks.flatMap((path) =>
    [...read(path).matchAll(/\]\(([^)\s]*)\)/g)].flatMap(([, link = '']) => {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : join(dirname(path), file)
      if (/^https?:/.test(link)) return []
      const isThere = existsSync(join(root, target)) && (anchor === undefined || anchorsOf(read(target)).has(anchor))
      return isThere ? [] : [`${path}: ${link}`]
    }),
  )
  expect(wrong).toEqual([])
  for (const page of ['interface.md', 'assumptions.md']) expect(read('README.md')).toContain(`${page})`)
})

test('the settings that assumptions name exist', () => {
  const named = assumptionRows.flatMap(({ setting }) => setting ?? [])
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((name) => !platformSettingNames.some((known) => known === name))).toEqual([])
})

test('the tables of both pages are up to date: npm run docs writes them', () => {
  expect(pages.interface, 'stale: run `npm run docs`').toBe(interfacePage(pages.interface))
  expect(pages.assumptions, 'stale: run `npm run docs`').toBe(assumptionsPage())
})
