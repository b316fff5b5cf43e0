/** Explains syntax errors of a configuration file: where the mistake begins, what it is, and how to correct it. */

import { type Document, type ErrorCode, isCollection, isScalar, visit, type YAMLParseError } from 'yaml'

/** A colon inside a value, an indented line, or a line without a colon. */
const onePerLine =
  'write each setting as "name: value" on a line of its own, indent nested ones below their name, and quote a value that contains ": "'

const remedies: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: 'indent with spaces',
  BAD_INDENT: 'indent lines of the same level by the same number of spaces',
  BLOCK_AS_IMPLICIT_KEY: onePerLine,
  MULTILINE_IMPLICIT_KEY: onePerLine,
  BLOCK_IN_FLOW: 'put a comma between the entries',
  DUPLICATE_KEY: 'remove one of the two settings of this name',
  BAD_SCALAR_START: 'put the value in quotes',
  BAD_DQ_ESCAPE: 'use single quotes, or write \\\\ for a backslash',
  MULTIPLE_DOCS: 'put all settings into one document, without --- between them',
  UNEXPECTED_TOKEN: 'remove it, or put the whole value in quotes',
}

interface SyntaxError {
  offset: number
  message: string
}

/** One error for each position: the parser reports the consequences of a mistake too. */
export function syntaxErrorsOf(document: Document, source: string): SyntaxError[] {
  const found = new Map<number, SyntaxError>()
  for (const error of document.errors) {
    const one = explain(error, document, source)
    if (!found.has(one.offset)) found.set(one.offset, one)
  }
  return [...found.values()]
}

function explain({ code, pos: [offset], message }: YAMLParseError, document: Document, source: string): SyntaxError {
  const opened = openedBefore(offset, document, source)
  if (opened !== null) {
    const sign = source.charAt(opened)
    return { offset: opened, message: `this ${sign} is not closed; add ${closing[sign]} at the end of the value` }
  }
  const [what = ''] = message.split('\n', 1)
  return { offset, message: `not valid YAML: ${what}; ${remedies[code] ?? onePerLine}` }
}

const closing: Readonly<Record<string, string>> = { '"': '"', "'": "'", '[': ']', '{': '}' }

/** Returns the offset of the quote or bracket that is open at the offset; null if all are closed. */
function openedBefore(offset: number, document: Document, source: string): number | null {
  let opened: number | null = null
  visit(document, {
    Node(_key, node) {
      const [start, end] = node.range ?? [0, 0]
      const close = closing[source.charAt(start)]
      const isDelimited = (isScalar(node) && node.type?.startsWith('QUOTE')) || (isCollection(node) && node.flow)
      const isClosed = end - start > 1 && source.charAt(end - 1) === close
      if (isDelimited && close !== undefined && !isClosed && end <= offset) opened = start
    },
  })
  return opened
}
