/** The texts in the source of the pages: those that a person sees, and all that a translation can be of; and the translations. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { parse } from 'yaml'
import { features } from './features.js'

const root = join(import.meta.dirname, '../..')

const sourcesIn = (folder: string, name: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))

/** Attributes and fields whose values are shown. */
const shownFields = new Set(
  'title label text hint submit note noun noMatch summary over left empty hint groupHint accessibleName placeholder aria-label'.split(
    ' ',
  ),
)
/** Elements whose texts are the same in every language. */
const verbatim = new Set(['code', 'kbd', 'pre'])

/** As the compiler of JSX does: lines are joined by a space. */
const joined = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')

/** The pattern of a template, with `{}` for its values. */
const patternOf = (node: ts.TemplateExpression) =>
  `${node.head.text}${node.templateSpans.map(({ literal }) => `{}${literal.text}`).join('')}`

/** A text in an element with a language of its own. */
const isReport = (node: ts.Node): boolean =>
  ts.isJsxElement(node)
    ? node.openingElement.attributes.properties.some((one) => one.name?.getText() === 'lang')
    : ts.isJsxFragment(node) && isReport(node.parent)

const isShown = (node: ts.Node): boolean => {
  const { parent } = node
  if (ts.isIdentifier(node) || isReport(parent)) return false
  if (ts.isConditionalExpression(parent) || ts.isJsxExpression(parent)) return isShown(parent)
  if (ts.isJsxText(node)) return !(ts.isJsxElement(parent) && verbatim.has(parent.openingElement.tagName.getText()))
  if (ts.isJsxAttribute(parent) || (ts.isPropertyAssignment(parent) && parent.initializer === node))
    return shownFields.has(parent.name.getText())
  if (ts.isTaggedTemplateExpression(parent)) return ['t', 'both'].includes(parent.tag.getText())
  return ts.isStringLiteralLike(node) && ts.isCallExpression(parent) && parent.expression.getText() === 't'
}

/** The word of a badge, which is written as the API writes it. */
const isBadge = (node: ts.Node): boolean =>
  ts.isConditionalExpression(node.parent) || ts.isJsxExpression(node.parent)
    ? isBadge(node.parent)
    : ts.isJsxAttribute(node.parent) &&
      node.parent.name.getText() === 'status' &&
      node.parent.parent.parent.tagName.getText() === 'Pill'

interface Texts {
  /** What a person sees wherever it is. */
  shown: ReadonlySet<string>
  /** The words of badges. */
  badges: ReadonlySet<string>
  /** All texts and patterns. */
  all: ReadonlySet<string>
}

/** By path, because several tests ask for the texts of the same file. */
const read = new Map<string, Texts>()

function textsOf(file: string, isPage: boolean): Texts {
  const known = read.get(file)
  if (known !== undefined) return known
  const shown = new Set<string>()
  const badges = new Set<string>()
  const all = new Set<string>()
  const visit = (node: ts.Node): void => {
    const text = ts.isJsxText(node)
      ? joined(node.text)
      : ts.isTemplateExpression(node)
        ? patternOf(node).trim()
        : ts.isStringLiteralLike(node) || (ts.isIdentifier(node) && ts.isPropertyAssignment(node.parent))
          ? node.text.trim()
          : ''
    // What stands in braces is a value, too, and so is a name such as `external_id`.
    if (text !== '')
      for (const value of [/\{[^{}]*\}/g, /[a-z]+[._][\w.-]*\w/g]) all.add(text).add(text.replaceAll(value, '{}'))
    if (isPage && /[A-Za-z]{2}/.test(text) && isShown(node)) shown.add(text)
    if (isPage && ts.isStringLiteralLike(node) && isBadge(node)) badges.add(text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true))
  read.set(file, { shown, badges, all })
  return { shown, badges, all }
}

/** The titles and descriptions of the built-in scenarios. */
export const builtInScenarios = () =>
  sourcesIn('scenarios', /\.yaml$/).map(
    (file): { title: string; description: string; outcomes?: { title: string }[] } => parse(readFileSync(file, 'utf8')),
  )

/** `without` is a feature that is left out, as if it was removed. */
export function textsOfPages(without?: string): Texts {
  const remains = (file: string) => without === undefined || !file.includes(`/features/${without}/`)
  const pages = [...sourcesIn('src/dashboard', /\.tsx?$/), ...sourcesIn('src/features', /\.tsx$/)].filter(remains)
  const tables = ['src/protocol', 'src/core', 'src/features', 'src/http/openapi', 'src/cli/settings']
    .flatMap((folder) => sourcesIn(folder, /\.ts$/))
    .filter(remains)
  const texts = [
    ...pages.map((file) => textsOf(file, !/dashboard\/(pages|editor)\/|programs/.test(file))),
    ...tables.map((file) => textsOf(file, false)),
  ]
  const scenarios = builtInScenarios().flatMap(({ title, description, outcomes = [] }) => [
    ...[title, description],
    // The code of an error stays.
    ...outcomes.map((one) => one.title.split(': ')[0] ?? ''),
  ])
  return {
    shown: new Set(texts.flatMap(({ shown }) => [...shown])),
    badges: new Set(texts.flatMap(({ badges }) => [...badges])),
    all: new Set([...texts.flatMap(({ all }) => [...all]), ...scenarios]),
  }
}

/** The translations of a language: of the dashboard, and of the pages of each feature. */
export function translations(language: 'pt' | 'es', without?: string): Readonly<Record<string, string>> {
  const folders = ['dashboard', ...features.filter((name) => name !== without).map((name) => `features/${name}`)]
  // `certify.json` and `scenarios.json` have rows in place of a file for each language.
  const files = folders
    .filter((folder) => existsSync(join(root, 'src', folder, 'languages')))
    .flatMap((folder) => sourcesIn(`src/${folder}/languages`, new RegExp(`^(${language}|[a-z]{3,})\\.json$`)))
  const entries = files.flatMap((file): (readonly [string, string])[] => {
    const read: Record<string, string> | [string, string, string][] = JSON.parse(readFileSync(file, 'utf8'))
    return Array.isArray(read) ? read.map(([english, pt, es]) => [english, { pt, es }[language]]) : Object.entries(read)
  })
  const twice = entries.filter(([key], at) => entries.findIndex(([other]) => other === key) !== at)
  if (twice.length > 0) throw new Error(`translated twice: ${JSON.stringify(twice)}`)
  return Object.fromEntries(entries)
}
