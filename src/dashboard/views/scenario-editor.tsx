/** Writes a scenario: an editor with completion, whose mistakes stand at their lines and in a list. */
import { useRef } from 'hono/jsx/dom'
import type { Scenario } from '../../client/types/control.js'
import { call, failureOf, type Failure as Refusal } from '../api.js'
import type { Schema } from '../editor/completion.js'
import type { Editor, Mistake } from '../editor/index.js'
import { t } from '../language.js'
import { Button } from '../parts/forms/controls.js'
import { askRun } from '../parts/forms/scenario-commands.js'
import { Failure, Head, Loaded, Panel } from '../parts/layout.js'
import { WrappedText } from '../parts/text.js'
import { send, showMessage } from '../store/commands.js'
import { useEffect, useState } from '../store/hooks.js'
import { type Query, useQuery } from '../store/query.js'
import { goFromHere, link } from '../store/route.js'

const example = `name: paid-after-a-minute
title: A PIX charge is paid after a minute
steps:
  - create: { cashin: { amount: 25, currency: BRL }, as: charge }
  - wait: 1m
  - cashin.pay
  - expect: { event: cashin.confirmed, within: 5s }
`

const crumb = { href: link('scenarios'), text: 'Scenarios' }

/** Texts that were typed and not saved, by the name in the address. */
const drafts = new Map<string, string>()

export const EditorView = ({ id }: { id: string }) =>
  id === '' ? <EditorPage key="" name="" text={example} title="Write a scenario" /> : <Existing key={id} name={id} />

const Existing = ({ name }: { name: string }) => {
  const scenario = useQuery('GET /scenarios/{name}', { params: { name } }, [])
  return (
    <>
      {scenario.data === undefined ? <Head title={t`Edit ${name}`} crumb={crumb} /> : null}
      <Loaded of={scenario}>{(row) => <EditorPage name={name} {...openingOf(row)} />}</Loaded>
    </>
  )
}

/** A scenario that was not uploaded stays as it is: its copy gets a name of its own. */
const openingOf = ({ yaml, name, origin }: Scenario) =>
  origin === 'uploaded'
    ? { title: t`Edit ${name}`, text: yaml }
    : { title: t`Edit a copy of ${name}`, text: yaml.replace(`name: ${name}`, `name: ${name}-copy`) }

const validate = async (text: string): Promise<Mistake[]> =>
  (await call('POST /scenarios/validate', { body: text, contentType: 'application/yaml' })).mistakes

function useEditor(name: string, text: string) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor>(null)
  const current = useRef(drafts.get(name) ?? text)
  const [mistakes, setMistakes] = useState<readonly Mistake[] | null>(null)
  const [error, setError] = useState<Refusal | null>(null)
  const schema = useQuery('GET /scenarios/schema.json', {}, [])
  const [opened, setOpened] = useState<Query<true>>({ data: undefined, error: undefined })
  useEffect(() => {
    const open = async () => {
      const { openEditor } = await import('../editor/index.js')
      if (host.current === null || editor.current !== null) return
      editor.current = openEditor(host.current, {
        text: current.current ?? '',
        label: t('YAML or JSON'),
        // The client parses JSON of every media type.
        schema: schema.data as unknown as Schema,
        validate: async (typed) => {
          const found = await validate(typed)
          setMistakes(found)
          return found
        },
        onChange: (typed) => {
          current.current = typed
          drafts.set(name, typed)
        },
      })
      setOpened({ data: true, error: undefined })
    }
    if (schema.data !== undefined && editor.current === null)
      open().catch((thrown: unknown) => setOpened({ data: undefined, error: failureOf(thrown) }))
  }, [schema.data])
  useEffect(() => () => editor.current?.close(), [])
  const save = async () => {
    const open = goFromHere()
    try {
      const saved = await send('POST /scenarios', {
        body: current.current ?? '',
        contentType: 'application/yaml',
      })
      drafts.delete(name)
      open(link('scenarios', saved.name))
      showMessage(t`Saved: ${saved.name}`)
      return saved
    } catch (thrown) {
      setError(failureOf(thrown))
      return null
    }
  }
  return {
    ...{ host, mistakes, error, save },
    opened: { data: opened.data, error: opened.error ?? schema.error },
    show: (mistake: Mistake) => editor.current?.show(mistake),
  }
}

const EditorPage = ({ name, text, title }: { name: string; text: string; title: string }) => {
  const { host, opened, mistakes, error, save, show } = useEditor(name, text)
  const isOpen = opened.data === true
  const saveAndRun = async () => {
    const saved = await save()
    if (saved !== null) await askRun(saved)
  }
  return (
    <>
      <Head title={title} crumb={crumb}>
        <Button disabled={!isOpen} onClick={saveAndRun}>
          Save and run
        </Button>
        <Button tone="primary" disabled={!isOpen} onClick={save}>
          Save
        </Button>
      </Head>
      {error === null ? null : <Failure error={error} />}
      <div class="columns">
        <div class={!isOpen && opened.error !== undefined ? '' : 'editor'} ref={host}>
          {isOpen ? null : <Loaded of={opened}>{() => null}</Loaded>}
        </div>
        {!isOpen ? null : (
          <Panel title="Mistakes">
            {mistakes === null ? (
              <p class="faint">Checked while you type.</p>
            ) : mistakes.length === 0 ? (
              <p class="ok-text">None: the scenario can be saved.</p>
            ) : (
              <ul class="mistakes">
                {mistakes.map((mistake) => (
                  <li key={`${mistake.line} ${mistake.column} ${mistake.path}`}>
                    <Button tone="quiet" onClick={() => show(mistake)}>
                      Line {mistake.line}, column {mistake.column}
                    </Button>
                    <p>
                      {mistake.path === '' ? null : <code>{mistake.path}</code>}{' '}
                      <WrappedText>{mistake.message}</WrappedText>
                    </p>
                  </li>
                ))}
              </ul>
            )}
            <p class="hint keys">Press Ctrl+Space for the steps, fields and values that are possible.</p>
          </Panel>
        )}
      </div>
    </>
  )
}
