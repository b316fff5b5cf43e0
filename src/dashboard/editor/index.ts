/** The editor of scenario files: a script of its own, because only one view needs it. */
import { autocompletion, type CompletionContext, closeBrackets, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { yaml } from '@codemirror/legacy-modes/mode/yaml'
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint'
import { EditorState, type Text } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { placeAt, type Schema, suggestionsAt } from './completion.js'

/** Lines and columns count from 1; null if the place is unknown. */
export interface Mistake {
  line: number | null
  column: number | null
  path: string
  message: string
}

interface EditorOptions {
  text: string
  /** Accessible name. */
  label: string
  schema: Schema
  validate: (text: string) => Promise<readonly Mistake[]>
  onChange: (text: string) => void
}

export interface Editor {
  /** Selects the place of a mistake. */
  show: (mistake: Mistake) => void
  close: () => void
}

/** Pause after typing before the text is validated. */
const lintDelayMs = 300

function rangeOf(doc: Text, { line, column }: Mistake): { from: number; to: number } {
  const { from, to, text } = doc.line(Math.min(Math.max(line ?? 1, 1), doc.lines))
  const start = Math.min(from + (column ?? 1) - 1, to)
  const word = /^[^\s:,{}[\]]+/.exec(text.slice(start - from))?.[0].length ?? 1
  return { from: start, to: Math.min(start + word, to) }
}

const complete = (schema: Schema) => (context: CompletionContext) => {
  const line = context.state.doc.lineAt(context.pos)
  const lines = context.state.doc.sliceString(0, context.pos).split('\n')
  const place = placeAt(lines)
  if (place.word === '' && !context.explicit && !/[-:{,[]\s$/.test(line.text.slice(0, context.pos - line.from)))
    return null
  const options = suggestionsAt(schema, place).map(({ label, info, isKey }) => ({
    label,
    ...(info === '' ? {} : { info }),
    type: isKey ? 'property' : 'enum',
    apply: isKey ? `${label}: ` : label,
  }))
  return options.length === 0 ? null : { from: context.pos - place.word.length, options, validFor: /^[\w.$-]*$/ }
}

/** Colors are those of the page, which reach into its shadow tree as custom properties. */
const theme = EditorView.theme({
  // As high as its host at least: the last line is followed by text that can be clicked.
  '&, .cm-scroller': { minHeight: 'inherit' },
  '&': { fontSize: '0.8125rem', backgroundColor: 'var(--surface)', color: 'var(--text)' },
  // The host shows the focus.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--text)', padding: '0.5rem 0', minHeight: 'inherit' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--muted)',
    borderRight: '1px solid var(--line)',
    alignSelf: 'stretch',
    height: 'auto',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent) 7%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 25%, transparent)',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line-strong)',
    borderRadius: '7px',
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    boxShadow: 'var(--shadow-high)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.2rem 0.6rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--accent)' },
  '.cm-completionInfo': { padding: '0.4rem 0.6rem', maxWidth: '20rem', fontFamily: 'var(--sans)' },
  '.cm-completionIcon': { display: 'none' },
  '.cm-diagnostic': { padding: '0.35rem 0.6rem', fontFamily: 'var(--sans)', borderLeftColor: 'var(--bad)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textDecorationSkipInk: 'none',
  },
  // The default marker is an image, which the security policy of the page rejects.
  '.cm-lint-marker-error': {
    content: 'normal',
    width: '0.6rem',
    height: '0.6rem',
    margin: '0.35rem 0.2rem',
    borderRadius: '50%',
    backgroundColor: 'var(--bad)',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
})

const colors = HighlightStyle.define([
  { tag: tags.atom, color: 'var(--code-key)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: [tags.number, tags.keyword], color: 'var(--code-number)' },
  { tag: [tags.comment, tags.meta], color: 'var(--muted)' },
])

/** The mode does not recognize the first key after a brace as one. */
const language = StreamLanguage.define({
  ...yaml,
  token(stream, state: { pair: boolean; pairStart: boolean }) {
    const style = yaml.token(stream, state)
    if (stream.current() === '{') Object.assign(state, { pair: false, pairStart: false })
    return style
  },
})

/** In a shadow tree, styles are constructed sheets: the page's security policy rejects style elements. */
export function openEditor(host: HTMLElement, { text, label, schema, validate, onChange }: EditorOptions): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const lint = async ({ state: { doc } }: EditorView): Promise<Diagnostic[]> =>
    (await validate(doc.toString())).map((mistake) => ({
      ...rangeOf(doc, mistake),
      severity: 'error',
      message: mistake.path === '' ? mistake.message : `${mistake.path}: ${mistake.message}`,
    }))
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        highlightActiveLine(),
        EditorView.lineWrapping,
        drawSelection(),
        history(),
        bracketMatching(),
        closeBrackets(),
        language,
        syntaxHighlighting(colors),
        theme,
        autocompletion({ override: [complete(schema)] }),
        linter(lint, { delay: lintDelayMs }),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...lintKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && onChange(state.doc.toString())),
      ],
    }),
  })
  // A typed letter is no shortcut of the page, which sees only the host as its target.
  root.addEventListener(
    'keydown',
    (event) => event instanceof KeyboardEvent && !event.ctrlKey && event.stopPropagation(),
  )
  return {
    show(mistake) {
      const { from, to } = rangeOf(view.state.doc, mistake)
      view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true })
      view.focus()
    },
    close: () => view.destroy(),
  }
}
