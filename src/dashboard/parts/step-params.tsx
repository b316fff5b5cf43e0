/** The parameters of a scenario's step, in words. */
import { parseDuration } from '../../base/duration.js'
import { type Fields, fieldsIn, isJsonObject } from '../../base/unknown.js'
import { labelOf } from '../../protocol/platform/fields.js'
import { kindName, readableAmount, sentence, span, statusName, webhookJob } from '../format.js'
import { t } from '../language.js'
import { WrappedText } from './text.js'

/** Words, or a label with its value. */
type Part = readonly [text: string, value?: string]

const choices: Readonly<Record<string, string>> = {
  'disconnect before': 'before the call is executed',
  'disconnect after': 'after the call was executed',
  'answer lost': 'the response is lost',
  'delivered true': 'acknowledged by your app',
  'tamper body': 'with a changed body',
  'tamper signature': 'with a wrong signature',
  'tamper timestamp': 'with a timestamp that is an hour old',
  'reorder true': 'in pairs, the later one first',
  'before_response true': 'before the response to the call',
}

/** The name of the payer stands for the payer. */
function labeled([name, value]: readonly [string, unknown]): Part[] {
  const choice = choices[`${name} ${value}`]
  if (choice !== undefined) return [[choice]]
  if (isJsonObject(value)) return Object.entries(value).flatMap(([inner, one]) => labeled([`${name}.${inner}`, one]))
  return value === undefined
    ? []
    : [[labelOf(name.replace(/\.name$/, '')), typeof value === 'string' ? value : JSON.stringify(value)]]
}

/** The amount stands with its currency. */
function fieldParts({ amount, currency, ...fields }: Fields): Part[] {
  const digits = String(amount ?? '')
    .replace(/^\d+$/, '$&.00')
    .replace(/\.\d$/, '$&0')
  const money = [readableAmount(digits), currency].filter(Boolean).join(' ')
  return [...(money === '' ? [] : [[money] as const]), ...Object.entries(fields).flatMap(labeled)]
}

const spanText = (value: unknown): string => {
  const ms = parseDuration(String(value))
  return ms === null ? String(value) : span(ms)
}

function expectParts({ event, status, answer, balance, object, id: _, where, within, ...more }: Fields): Part[] {
  const { status: code, ...response } = fieldsIn(answer)
  const [kind, state] = [String(object), String(status)]
  return [
    ...(event === undefined ? [] : [[webhookJob(String(event))] as const]),
    ...(status === undefined
      ? []
      : [
          object === undefined
            ? (['Status', sentence(state)] as const)
            : ([kindName(kind), statusName(state, kind)] as const),
        ]),
    ...(isJsonObject(answer) ? labeled(['Response', code]) : labeled(['answer', answer])),
    ...[response, balance, where, more].flatMap((one) => fieldParts(fieldsIn(one))),
    ...(within === undefined ? [] : [[t`within ${spanText(within)}`] as const]),
  ]
}

const partsOfStep: Readonly<Record<string, (params: unknown) => Part[]>> = {
  wait: (params) => [[spanText(params)]],
  latency: (params) => [[spanText(params)]],
  disconnect: (params) => labeled(['disconnect', params]),
  webhooks: (params) => {
    const { duplicate, delay, ...more } = fieldsIn(params)
    return [
      ...(duplicate === undefined ? [] : [[t`sent ${duplicate} times each`] as const]),
      ...(delay === undefined ? [] : [[t`${spanText(delay)} later`] as const]),
      ...fieldParts(more),
    ]
  },
  expect: (params) => expectParts(fieldsIn(params)),
}

/** The object of an action and the names that the file gives to objects are among the details of the run. */
function actionParts(params: unknown): Part[] {
  const { id: _id, as: _as, ...fields } = fieldsIn(params)
  return fieldParts(fields)
}

export const StepParams = ({ step, params }: { step: string; params: unknown }) =>
  (partsOfStep[step] ?? actionParts)(params).map(([text, value], index) => (
    <span key={text} class="run-params">
      {index === 0 ? '' : ', '}
      {text}
      {value === undefined ? null : (
        <>
          {': '}
          <bdi>
            <WrappedText>{value}</WrappedText>
          </bdi>
        </>
      )}
    </span>
  ))
