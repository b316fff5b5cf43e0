/** The settings by subject, what differs from the defaults first: what each does, its value, and what to copy to set it. */
import type { FC } from 'hono/jsx/dom'
import { capitalized } from '../../base/text.js'
import { isDeepEqualJson, isJsonObject } from '../../base/unknown.js'
import type { SettingState } from '../../client/types/control.js'
import { baseUrl } from '../api.js'
import { t } from '../language.js'
import { Code } from '../parts/code.js'
import { Filters } from '../parts/filters.js'
import { Details } from '../parts/forms/controls.js'
import { Empty, Facts, Head, Loaded, Panel } from '../parts/layout.js'
import { CopyButton, Id, Prose, WrappedText } from '../parts/text.js'
import { useQuery } from '../store/query.js'
import type { Route } from '../store/route.js'
import { subjectOf, subjects } from '../store/subjects.js'

const changed = 'Changed'

export const SettingsView: FC<{ route: Route }> = ({ route }) => {
  const isIn = (row: SettingState, group: string) =>
    group === changed ? !row.is_default : subjectOf(row.name) === group
  return (
    <>
      <Head title="Settings" />
      <p class="faint">
        Settings are fixed when the sandbox starts. To change one, start the sandbox again with its option, its
        environment variable, or its key in a configuration file. Clock, chaos and accounts can be changed while it
        runs.
      </p>
      <Loaded of={useQuery('GET /settings', {}, ['workspace'])}>
        {({ data }) => {
          const found = data
            // A setting can be given as its default.
            .map((row) => ({ ...row, is_default: row.is_default || isDeepEqualJson(row.value, row.default) }))
            .filter((row) => matches(row, route.query.get('text') ?? ''))
          const chosen = route.query.get('subject') ?? ''
          const shown = found.filter((row) => chosen === '' || isIn(row, chosen))
          const groupOf = (group: string) => (
            <Group
              key={group}
              title={group}
              open={group === changed || shown.length < data.length}
              rows={shown.filter((row) => isIn(row, group) && row.is_default === (group !== changed))}
            />
          )
          return (
            <div class="settings">
              <Filters
                route={route}
                filters={[
                  { name: 'text', label: 'Search settings' },
                  {
                    name: 'subject',
                    label: 'Subjects',
                    choices: [changed, ...subjects],
                    chips: true,
                    words: (word) => (word === 'all' ? t('All settings') : capitalized(word)),
                  },
                ]}
                count={(_, group) => String(found.filter((row) => group === undefined || isIn(row, group)).length)}
              />
              <div class="column">
                {shown.length > 0 ? null : (
                  <Empty title="No setting matches">Enter other words, or clear the filter.</Empty>
                )}
                {shown.every((row) => row.is_default) ? null : <Panel flush>{groupOf(changed)}</Panel>}
                {shown.some((row) => row.is_default) ? <Panel flush>{subjects.map(groupOf)}</Panel> : null}
              </div>
            </div>
          )
        }}
      </Loaded>
    </>
  )
}

function matches({ name, title, default_text: text, flag, variable, value }: SettingState, words: string): boolean {
  const all = [name, title, t(title), t(text), flag, variable, lineText(value)].join('\n').toLowerCase()
  return all.includes(words.toLowerCase())
}

/** A value as a configuration file writes it. JSON is YAML. */
const lineText = (value: unknown): string =>
  typeof value === 'string' && /^[\w./:-]+$/.test(value) && /[a-z/]/i.test(value) && !/^(true|false|null)$/.test(value)
    ? value
    : JSON.stringify(value)

interface GroupProps {
  title: string
  rows: readonly SettingState[]
  /** A closed one shows the values that are set. */
  open: boolean
}

const Group = ({ title, rows, open }: GroupProps) => {
  const holds = rows
    .filter(({ value }) => value !== null && !isJsonObject(value))
    .map((row) => `${partsOf(row.title)[0].split(',')[0]}: ${inProse(row)}`)
  return rows.length === 0 ? null : (
    <details class="subject" open={open}>
      <summary>
        <h2>{title}</h2>
        <span class="faint">
          <Prose text={holds.join(' · ')} />
        </span>
        <span class="faint num">{rows.length}</span>
      </summary>
      <ul class="messages">
        {rows.map((row) => (
          <Setting key={row.name} row={row} />
        ))}
      </ul>
    </details>
  )
}

const sourceWords: Partial<Record<SettingState['source'], string>> = { file: 'configuration file', option: 'library' }

/** What it is, and after a colon or a semicolon what it can be. */
function partsOf(title: string): [what: string, values?: string] {
  const text = t(title)
  const at = text.replaceAll(/`[^`]*`/g, (code) => '_'.repeat(code.length)).search(/[:;] /)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 2)]
}

const Setting = ({ row }: { row: SettingState }) => {
  const [what, values] = partsOf(row.title)
  return (
    <li class="setting" data-key={row.name}>
      <Details
        summary={
          <>
            <span class="setting-title">
              <Prose text={what} />
              <span class="small faint">
                <code>{row.name}</code> {values === undefined ? null : <Prose text={values} />}
              </span>
            </span>
            <span class="setting-value">
              <Value of={row.value} row={row} />
              {row.name === 'chaos' ? <span class="small">At the start</span> : null}
              {row.is_default ? null : (
                <span class="small">
                  Default: <Value of={row.default} row={row} /> · <span>{sourceWords[row.source] ?? row.source}</span>
                </span>
              )}
            </span>
          </>
        }
      >
        {() => <HowToSet {...row} />}
      </Details>
      {isSet(row) ? <CopyLine {...row} /> : null}
    </li>
  )
}

/** Stands for a secret, which is not shown, and so not copied. */
const hiddenValue = '(hidden)'
const isSet = ({ value }: SettingState) => value !== null && value !== hiddenValue

const configLine = ({ name, value }: SettingState) => `${name}: ${lineText(value)}`

const CopyLine = (row: SettingState) => (
  <CopyButton text={configLine(row)} noun={t`the line of ${row.name} for a configuration file`} />
)

/** A value in one line. */
const Value = ({ of: value, row }: { of: unknown; row: SettingState }) => {
  const code = codeOf(value, row)
  return code === '' ? (
    <span class={isWord(value) ? '' : 'faint'}>
      <Prose text={wordsFor(value, row)} />
    </span>
  ) : (
    <code title={code}>
      <WrappedText clamp>{code}</WrappedText>
    </code>
  )
}

const inProse = (row: SettingState) => {
  const code = codeOf(row.value, row)
  return code === '' ? wordsFor(row.value, row) : `\`${code}\``
}

const isWord = (value: unknown) => typeof value === 'boolean' || value === hiddenValue

/** A value as it is written; empty if words stand for it. Of a table, only what differs from the default. */
const codeOf = (value: unknown, row: SettingState) => (isWord(value) ? '' : shortText(value, row.default))

/** Where nothing is set, what holds then. */
function wordsFor(value: unknown, row: SettingState): string {
  if (typeof value === 'boolean') return t(value ? 'On' : 'Off')
  if (value === hiddenValue) return t('Set')
  if (row.default_text.includes(listing)) return t('Listed in the API reference')
  return t(row.default_text).split(/\.$|[.:;] /)[0] ?? ''
}

function shortText(value: unknown, preset: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  if (!isJsonObject(value)) return value === null ? '' : String(value)
  const usual = isJsonObject(preset) ? preset : {}
  return Object.entries(value)
    .filter(([name, one]) => !isDeepEqualJson(one, usual[name]))
    .map(([name, one]) => (typeof one === 'object' ? name : `${name}: ${one}`))
    .join(', ')
}

const HowToSet = (row: SettingState) => (
  <>
    {row.is_assumption ? <p class="faint">Assumption: the documentation of the platform does not say it.</p> : null}
    <Facts
      rows={[
        [
          'Default',
          row.default_text === String(row.default) ? (
            <Value of={row.default} row={row} />
          ) : (
            <DefaultText text={row.default_text} />
          ),
        ],
        ['Option', row.flag === null ? null : <Id id={row.flag} noun={row.flag} />],
        ['Environment variable', row.variable === null ? null : <Id id={row.variable} noun={row.variable} />],
        [
          'Configuration file',
          <span class="id">
            <code>{isSet(row) && !isJsonObject(row.value) ? configLine(row) : row.name}</code>
          </span>,
        ],
      ]}
    />
    {isJsonObject(row.value) && Object.keys(row.value).length > 0 ? (
      <Code text={JSON.stringify(row.value)} label="Value" noun="the value" />
    ) : null}
  </>
)

/** What the page of the API lists as well, in its sections. */
const listing = 'docs/assumptions.md'
const sections: readonly (readonly [title: string, id: string])[] = [
  ['"Currencies', 'limits-and-fees'],
  ['"Error codes', 'errors'],
]

const DefaultText = ({ text }: { text: string }) => {
  const [before = '', after] = t(text).split(listing)
  const section = sections.find(([title]) => text.includes(title))?.[1] ?? 'assumptions'
  return after === undefined ? (
    <Prose text={capitalized(t(text))} />
  ) : (
    <span>
      <Prose text={before} />
      <a href={`${baseUrl}/_sandbox/docs#${section}`} hreflang="en">
        the API reference
      </a>
      <Prose text={after} />
    </span>
  )
}
