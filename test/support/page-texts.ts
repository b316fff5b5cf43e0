/** The texts in the source of the pages: those that a person sees, and all that a translation can be of. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

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

interface Texts {
  /** What a person sees wherever it is. */
  shown: ReadonlySet<string>
  /** All texts and patterns. */
  all: ReadonlySet<string>
}

export function textsOfPages(): Texts {
  const shown = new Set<string>()
  const all = new Set<string>()
  const read = (file: string, isPage: boolean) => {
    const visit = (node: ts.Node): void => {
      const text = ts.isJsxText(node)
        ? joined(node.text)
        : ts.isTemplateExpression(node)
          ? patternOf(node).trim()
          : ts.isStringLiteralLike(node) || (ts.isIdentifier(node) && ts.isPropertyAssignment(node.parent))
            ? node.text.trim()
            : ''
      // What stands in braces is a value, too.
      if (text !== '') all.add(text).add(text.replaceAll(/\{[^{}]*\}/g, '{}'))
      if (isPage && /[A-Za-z]{2}/.test(text) && isShown(node)) shown.add(text)
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true))
  }
  const pages = [...sourcesIn('src/dashboard', /\.tsx?$/), ...sourcesIn('src/features', /\.tsx$/)]
  for (const file of pages) read(file, !/dashboard\/(pages|editor)\/|programs/.test(file))
  for (const folder of ['src/protocol', 'src/features', 'src/http/openapi', 'src/cli/settings'])
    for (const file of sourcesIn(folder, /\.ts$/)) read(file, false)
  for (const file of sourcesIn('scenarios', /\.yaml$/))
    all.add(/^title: (.*)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '')
  return { shown, all }
}
