/**
 * Inserts mutants into source files. Each is a small change that a switch turns on: `a < b` becomes `(__mutant(7) ? a <= b : a < b)`.
 * One bundle contains all mutants, and a warm process tests hundreds of them. Code outside functions runs when the
 * module loads, so a mutant there needs its own process (`isEarly`).
 */
import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import ts from 'typescript'

const { SyntaxKind } = ts

/** The replacements of each operator. */
const operators = new Map([
  [SyntaxKind.LessThanToken, ['<=']],
  [SyntaxKind.LessThanEqualsToken, ['<']],
  [SyntaxKind.GreaterThanToken, ['>=']],
  [SyntaxKind.GreaterThanEqualsToken, ['>']],
  [SyntaxKind.EqualsEqualsEqualsToken, ['!==']],
  [SyntaxKind.ExclamationEqualsEqualsToken, ['===']],
  [SyntaxKind.PlusToken, ['-']],
  [SyntaxKind.MinusToken, ['+']],
  [SyntaxKind.AsteriskToken, ['/']],
  [SyntaxKind.SlashToken, ['*']],
  [SyntaxKind.AmpersandAmpersandToken, ['||']],
  [SyntaxKind.BarBarToken, ['&&']],
])

/** Replacements in SQL statements. */
const sqlChanges = [
  ['<= ?', '< ?'],
  ['> ?', '>= ?'],
  ['< ?', '<= ?'],
  [' = ?', ' <> ?'],
  [' and ', ' or '],
  ['min(', 'max('],
  ['+ 1', '+ 2'],
  ['claimed = 0', 'claimed = 1'],
  [' desc', ''],
  ['not exists', 'exists'],
]

/**
 * Returns `{mutants, sourceOf(path)}`. A mutant is `{id, file, line, kind, was, isEarly}`. `sourceOf` returns the source of a file
 * with all its mutants; `globalThis.__mutant`, made by `switchOf`, says which one is on.
 */
export function mutate(files) {
  const mutants = []
  const sources = new Map(files.map((file) => [resolve(file), instrumented(file, mutants)]))
  return { mutants, sourceOf: (path) => sources.get(path) }
}

function instrumented(file, mutants) {
  const text = readFileSync(file, 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)

  const add = (node, kind, isEarly) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
    const was = node.getText(source).replace(/\s+/g, ' ').slice(0, 100)
    mutants.push({ id: mutants.length + 1, file: relative('.', file), line: line + 1, kind, was, isEarly })
    return mutants.length
  }
  /** The node's text, with the emitted text of its children. */
  const withChildren = (node, depth) => {
    let out = ''
    let at = node.getFullStart()
    ts.forEachChild(node, (child) => {
      out += text.slice(at, child.getFullStart()) + emit(child, depth)
      at = child.end
    })
    return out + text.slice(at, node.end)
  }
  const lead = (node) => text.slice(node.getFullStart(), node.getStart(source))
  const raw = (node) => node.getText(source)

  const emit = (node, depth) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node))
      return text.slice(node.getFullStart(), node.end)
    if (ts.isTypeAliasDeclaration(node) || isAssertion(node)) return text.slice(node.getFullStart(), node.end)
    const inner = depth + (ts.isFunctionLike(node) ? 1 : 0)
    const plain = withChildren(node, inner)
    const changes = changesOf(node, raw)
    if (changes.length === 0) return plain
    const space = lead(node)
    const rest = plain.slice(space.length)
    if (ts.isExpressionStatement(node)) {
      const id = add(node, 'left out', depth === 0)
      // The braces keep a following `else` valid.
      return `${space}{ if (!globalThis.__mutant(${id})) { ${rest} } }`
    }
    const known = changes.map(([kind, put]) => ({ kind, put, id: add(node, kind, depth === 0) }))
    // A literal always changes.
    const canRepeat = isPure(node) && !isLiteral(node)
    const isWatched = ({ kind }) => kind in fixed || canRepeat
    const choices = known.map(
      (one) => `globalThis.__mutant${isWatched(one) ? '.isOn' : ''}(${one.id}) ? (${one.put}) : `,
    )
    return `${space}(${choices.join('')}${watched(`(${rest})`, known.filter(isWatched))})`
  }
  return emit(source, 0)
}

/** The kinds that fix a condition. */
const fixed = { always: true, never: false }

/** The text of a value that tells the switch which of its mutants would change it. */
function watched(rest, known) {
  const [toTrue, toFalse, ...others] = known[0]?.kind in fixed ? known : [undefined, undefined, ...known]
  const value = toTrue === undefined ? rest : `globalThis.__mutant.condition(${toTrue.id}, ${toFalse.id}, ${rest})`
  return others.reduce(
    (text, { id, put }) =>
      `globalThis.__mutant.value(${id}, ${text}, globalThis.__mutant.isWatching && (() => (${put})))`,
    value,
  )
}

const pureKinds = new Set([
  ...[SyntaxKind.Identifier, SyntaxKind.PrivateIdentifier, SyntaxKind.ThisKeyword, SyntaxKind.NullKeyword],
  ...[SyntaxKind.TrueKeyword, SyntaxKind.FalseKeyword, SyntaxKind.NumericLiteral, SyntaxKind.BigIntLiteral],
  ...[SyntaxKind.StringLiteral, SyntaxKind.NoSubstitutionTemplateLiteral, SyntaxKind.RegularExpressionLiteral],
  ...[SyntaxKind.TemplateExpression, SyntaxKind.TemplateSpan, SyntaxKind.TemplateHead, SyntaxKind.TemplateMiddle],
  ...[SyntaxKind.TemplateTail, SyntaxKind.PropertyAccessExpression, SyntaxKind.ElementAccessExpression],
  ...[SyntaxKind.ParenthesizedExpression, SyntaxKind.ConditionalExpression, SyntaxKind.TypeOfExpression],
  ...[SyntaxKind.ArrayLiteralExpression, SyntaxKind.ArrowFunction, SyntaxKind.Parameter, SyntaxKind.SpreadElement],
  ...[SyntaxKind.QuestionDotToken, SyntaxKind.QuestionToken, SyntaxKind.ColonToken, SyntaxKind.EqualsGreaterThanToken],
  ...[SyntaxKind.ArrayBindingPattern, SyntaxKind.ObjectBindingPattern, SyntaxKind.BindingElement],
  ...[SyntaxKind.AsExpression, SyntaxKind.SatisfiesExpression],
])
const pureCalls =
  /^(has|get|at|includes|startsWith|endsWith|some|every|find|filter|map|flatMap|test|slice|trim|toLowerCase|indexOf|split|join|Number|String|BigInt|isArray|max|min|abs|keys|fieldAt|rowAt|(is|has)[A-Z]\w*)$/

/** Whether an expression can be evaluated a second time, with the same result and without an effect. */
function isPure(node) {
  if (ts.isTypeNode(node)) return true
  const hasPureParts = () => ts.forEachChild(node, (child) => !isPure(child)) !== true
  if (ts.isBinaryExpression(node))
    return !isAssignment(node.operatorToken.kind) && isPure(node.left) && isPure(node.right)
  if (ts.isPrefixUnaryExpression(node))
    return node.operator !== SyntaxKind.PlusPlusToken && node.operator !== SyntaxKind.MinusMinusToken && hasPureParts()
  if (ts.isCallExpression(node)) {
    const { expression } = node
    const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression
    return pureCalls.test(name.text ?? '') && hasPureParts()
  }
  return pureKinds.has(node.kind) && hasPureParts()
}

const isAssignment = (kind) => kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment

/** `if (…) throw new Error(…)` is an assertion that correct code never reaches, so it gets no mutants. Mistakes of callers throw `ApiError`. */
function isAssertion(node) {
  if (!ts.isIfStatement(node) || node.elseStatement !== undefined) return false
  const then = node.thenStatement
  const only = ts.isBlock(then) && then.statements.length === 1 ? then.statements[0] : then
  return ts.isThrowStatement(only) && ts.isNewExpression(only.expression) && only.expression.expression.text === 'Error'
}

function changesOf(node, raw) {
  if (ts.isExpressionStatement(node))
    return ts.isCallExpression(node.expression) || ts.isBinaryExpression(node.expression) ? [['left out', '']] : []
  // `always` and `never` find more than an inverted condition.
  const isBound = ts.isBinaryExpression(node) && bounds.includes(node.operatorToken.kind)
  if (isConditionOf(node))
    return [
      ['always', `(${raw(node)}, true)`],
      ['never', `(${raw(node)}, false)`],
      ...(isBound && !isEitherOf(node, raw) ? binary(node, raw) : []),
    ]
  if (ts.isBinaryExpression(node)) return binary(node, raw)
  if (ts.isConditionalExpression(node))
    return [['the other way', `${raw(node.condition)} ? ${raw(node.whenFalse)} : ${raw(node.whenTrue)}`]]
  if (ts.isNumericLiteral(node) || ts.isBigIntLiteral(node))
    return isValue(node) ? [['one more', `${raw(node)} + ${ts.isBigIntLiteral(node) ? '1n' : '1'}`]] : []
  if (node.kind === SyntaxKind.TrueKeyword) return [['turned', 'false']]
  if (node.kind === SyntaxKind.FalseKeyword) return [['turned', 'true']]
  if (isSql(node)) return sqlOf(node, raw)
  return []
}

/** `a < b ? a : b` gives the same result with `<=`. */
const isEitherOf = ({ left, right, parent }, raw) =>
  ts.isConditionalExpression(parent) &&
  [left, right].every((side) => [parent.whenTrue, parent.whenFalse].some((one) => raw(one) === raw(side)))

const bounds = [
  SyntaxKind.LessThanToken,
  SyntaxKind.LessThanEqualsToken,
  SyntaxKind.GreaterThanToken,
  SyntaxKind.GreaterThanEqualsToken,
]

const isConditionOf = (node) =>
  (ts.isIfStatement(node.parent ?? node) && node.parent.expression === node) ||
  (ts.isConditionalExpression(node.parent ?? node) && node.parent.condition === node)

function binary(node, raw) {
  if (!ts.isBinaryExpression(node)) return []
  const { left, operatorToken, right } = node
  // A literal default is mostly there for the compiler.
  if (operatorToken.kind === SyntaxKind.QuestionQuestionToken)
    return isLiteral(right) ? [] : [['without its default', raw(left)]]
  if (operatorToken.kind === SyntaxKind.PlusToken && [left, right].some(isText)) return []
  return (operators.get(operatorToken.kind) ?? []).map((other) => [
    `${raw(operatorToken)} → ${other}`,
    `${raw(left)} ${other} ${raw(right)}`,
  ])
}

const isText = (node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
const isLiteral = (node) => ts.isNumericLiteral(node) || ts.isBigIntLiteral(node) || isText(node)
/** Excludes names of fields, and literal defaults, also of places of an array: they are there for the compiler. */
const isValue = (node) => {
  const { parent } = node
  if (parent.name === node || parent.propertyName === node) return false
  return (
    !(ts.isBindingElement(parent) && ts.isArrayBindingPattern(parent.parent)) &&
    (!ts.isBinaryExpression(parent) || parent.operatorToken.kind !== SyntaxKind.QuestionQuestionToken)
  )
}

/** A tagged template is mutated together with its tag. */
const isSql = (node) =>
  (ts.isStringLiteral(node) ||
    ts.isTaggedTemplateExpression(node) ||
    ((ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)) &&
      !ts.isTaggedTemplateExpression(node.parent))) &&
  /^(sql)?[`'](select|update|insert|delete|case|min)\b/.test(node.getText())

const sqlOf = (node, raw) =>
  sqlChanges.flatMap(([from, to]) => {
    const text = raw(node)
    const places = []
    for (let at = text.indexOf(from); at >= 0; at = text.indexOf(from, at + 1)) places.push(at)
    return places.map((at) => [
      `${from.trim()} → ${to.trim() || 'nothing'}`,
      text.slice(0, at) + to + text.slice(at + from.length),
    ])
  })
