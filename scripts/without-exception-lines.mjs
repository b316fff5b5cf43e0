/** Marks the long lines of a bundle, so that Node prints no source line with an uncaught error: it would be kilobytes of minified code. */
import ts from 'typescript'

/** Node omits the source line if it contains this text. */
const marker = '/*node-do-not-add-exception-line*/'
/** A shorter line can be printed. */
const longest = 200

/** Inserts one comment into each long line, before a token that begins there and so not inside a string. */
export function withoutExceptionLines(code) {
  const file = ts.createSourceFile('bundle.cjs', code, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS)
  const lineStarts = [...file.getLineStarts(), code.length]
  const places = new Map()
  const visit = (node) => {
    const at = node.getStart(file)
    const { line } = file.getLineAndCharacterOfPosition(at)
    const isLong = lineStarts[line + 1] - lineStarts[line] > longest
    if (isLong && !ts.isSourceFile(node) && !ts.isTemplateMiddleOrTemplateTail(node) && !places.has(line))
      places.set(line, at)
    ts.forEachChild(node, visit)
  }
  visit(file)
  const cuts = [0, ...[...places.values()].sort((a, b) => a - b), code.length]
  return cuts
    .slice(1)
    .map((end, index) => code.slice(cuts[index], end))
    .join(marker)
}
