/** A small picture of a scenario: its steps in a row, with waits between them. */
import { eventName, kindName, sentence } from '../format.js'
import { stepText } from '../store/steps.js'
import { Icon, type IconName } from './icon.js'

/** The first row that matches a step decides its icon and color. */
const looks: readonly (readonly [step: RegExp, icon: IconName, tone: string])[] = [
  [/^create/, 'call', ''],
  // Another amount than the one that was charged.
  [/\.pay ./, 'posting', ''],
  // Perhaps too late.
  [/\.(pay|deposit)\b/, 'check', ''],
  [/^dispute\.confirm/, 'close', 'bad'],
  [/\.(confirm|win)\b/, 'check', 'ok'],
  [
    /\.(fail|expire|lose)\b|^event (.*\.expired|chargeback\.(confirmed|lost))|^(respond|disconnect|latency)/,
    'close',
    'bad',
  ],
  [/\.refund/, 'back', 'warning'],
  [/^webhooks|^event/, 'webhooks', 'warning'],
  [/^dispute/, 'disputes', 'warning'],
]

/** More steps would not fit on a card. */
const shownSteps = 9

const faultWords: Record<string, string> = { after: 'response lost', before: 'request lost' }

/** What happens to a webhook. */
const webhookWords: Record<string, (note: string) => string> = {
  delay: (time) => `Webhook ${time} late`,
  duplicate: (count) => `Webhook ${count} times`,
  reorder: () => 'Webhooks reordered',
  tamper: (part) => `Webhook with a wrong ${part}`,
  before_response: () => 'Webhook before response',
}

/** `cashin.pay 60`: the words of a step, in short. */
function wordsOf(step: string): string {
  const [name = '', ...rest] = step.split(' ')
  const note = rest.join(' ')
  if (name === 'create') return kindName(note)
  if (name === 'respond') return note === '' ? 'Error' : `HTTP ${note}`
  if (name === 'disconnect') return sentence(faultWords[note] ?? note)
  if (name === 'latency') return `Response ${note} late`
  if (name === 'event') return eventName(note)
  if (name === 'webhooks') return webhookWords[rest[0] ?? '']?.(rest.slice(1).join(' ')) ?? sentence(note)
  if (name.startsWith('dispute.')) return stepText(name)
  return `${sentence(name.slice(name.indexOf('.') + 1))} ${note}`.trim()
}

const isWait = (step: string) => step.startsWith('wait ')

export const StepPicture = ({ outline }: { outline: readonly string[] }) =>
  outline.length === 0 ? null : (
    <ol class="step-picture" aria-label="Steps">
      {outline.slice(0, shownSteps).map((step, at) => {
        if (isWait(step)) return null
        const next = outline[at + 1]
        const [, icon, tone] = looks.find(([pattern]) => pattern.test(step)) ?? [null, 'play' as const, '']
        return (
          // The line to the next step stays with this one, where they do not fit beside each other.
          <li key={String(at)}>
            <span class={`step ${tone}`}>
              <Icon name={icon} />
              {wordsOf(step)}
            </span>
            {next === undefined ? null : (
              <span class="step-wait">{isWait(next) ? next.slice('wait '.length) : ''}</span>
            )}
          </li>
        )
      })}
      {outline.length > shownSteps ? (
        <li>
          <span class="step">+{outline.length - shownSteps}</span>
        </li>
      ) : null}
    </ol>
  )
