/** The bar of actions that an object allows now, grouped by who acts, with what happens next. It stays in view. */
import { keysOf } from '../../../base/keys.js'
import { capitalized } from '../../../base/text.js'
import type { Currency } from '../../../protocol/platform/currencies.js'
import { readableAmount, sentence } from '../../format.js'
import { t } from '../../language.js'
import { type Action, actions, attempt, trigger } from '../../store/commands.js'
import { openForm } from '../../store/form.js'
import { useEffect, useState } from '../../store/hooks.js'
import { actorOf, actors, fieldsOfAction, isUsual, taskText } from '../../store/steps.js'
import type { ObjectActivity } from '../../store/timeline.js'
import { NextUp, upcomingOf } from '../timeline/moments.js'
import { Button } from './controls.js'

/** What a dialog says that it is about. */
interface Subject {
  /** Decides which parameters the rail has. */
  currency: Currency
  account: string
  /** A fixed wallet has none. */
  amount?: string
  payer?: { name: string | null } | null
}

interface Target {
  id: string
  /** The kind of the object. An action of another kind, such as `dispute.open` on a charge, is shown by its full name. */
  kind: string
  of: Subject
  /** Allowed values of parameters, if the object allows fewer than the action. */
  choices?: Readonly<Record<string, readonly string[]>>
}

export const ActionBar = ({ activity, ...target }: Target & { activity: ObjectActivity }) => {
  const [table, setTable] = useState<readonly Action[]>([])
  useEffect(() => void attempt(() => actions().then(setTable)), [])
  const rows = activity.allowed.flatMap((name) => table.find((action) => action.name === name) ?? [])
  if (rows.length === 0 && upcomingOf(activity).length === 0) return null
  return (
    <section class="action-bar" aria-label="Actions">
      <NextUp activity={activity} />
      {keysOf(actors).map((actor) => {
        const own = rows.filter(({ name }) => actorOf(name) === actor)
        return own.length === 0 ? null : (
          <fieldset key={actor} class="actions">
            <legend>{actors[actor]}</legend>
            {own.map((action) => (
              <ActionButton key={action.name} action={action} first={isUsual(action.name)} {...target} />
            ))}
          </fieldset>
        )
      })}
    </section>
  )
}

/** Where the verb alone does not say what it leads to. */
const labels: Readonly<Record<string, readonly [label: string, effect?: string]>> = {
  'dispute.respond': ['Reply'],
  'dispute.confirm': ['Confirm', 'refunds the payer'],
  'dispute.win': ['You win', 'releases the money'],
  'dispute.lose': ['You lose', 'refunds the payer'],
  'dispute.cancel': ['Cancel the dispute', 'releases the money'],
}

type Lead = (payer: string, amount: string, account: string) => string

/** The first sentence of a dialog: what happens when it is submitted. */
const leads: Readonly<Record<string, Lead>> = {
  'cashin.pay': (payer, amount, account) => t`${payer} pays ${amount} to your account ${account}.`,
  'cashin.refund': (payer, amount, account) =>
    t`${payer} gets back what is left of ${amount} from your account ${account}.`,
  'cashout.confirm': (_, amount, account) => t`Your withdrawal arrives: ${amount} from your account ${account}.`,
  'cashout.fail': (_, amount, account) =>
    t`Your withdrawal fails, and ${amount} return to your account ${account}, with the fee.`,
  'cashout.refund': (_, amount, account) => t`Your withdrawal comes back: ${amount} to your account ${account}.`,
  'conversion.refund': (_, amount, account) => t`Your conversion to ${amount} in the account ${account} is reversed.`,
  'wallet.deposit': (_, currency, account) => t`A payer sends ${currency} to your account ${account}.`,
  'dispute.open': (payer, amount, account) =>
    t`${payer} disputes ${amount}, which your account ${account} cannot spend until the dispute ends.`,
  'dispute.respond': (payer, amount) => t`${payer} disputes ${amount}. You can reply once.`,
}

function leadOf(name: string, { amount, currency, payer, account }: Subject): string | undefined {
  const money = amount === undefined ? currency : `${readableAmount(amount)} ${currency}`
  return leads[name]?.(payer?.name ?? t('The payer'), money, account)
}

/** What they say cannot be taken back. */
const asksFirst: readonly string[] = ['dispute.respond']

function labelOf(name: string, kind: string): string {
  const [object = '', verb = ''] = name.split('.')
  return labels[name]?.[0] ?? (object === kind ? t(capitalized(verb)) : sentence(`${verb} a ${object}`))
}

const ActionButton = ({ action, id, kind, of, choices = {}, first }: Target & { action: Action; first: boolean }) => {
  const fields = fieldsOfAction(action, of.currency).map((field) => ({
    ...field,
    choices: choices[field.name] ?? field.choices ?? [],
  }))
  const label = labelOf(action.name, kind)
  const effect = labels[action.name]?.[1]
  const open = () =>
    openForm<Record<string, unknown>>({
      title: taskText(action.name),
      text: leadOf(action.name, of),
      fields,
      submit: label,
      run: (params) => trigger(action.name, id, params),
    })
  const needsMore = asksFirst.includes(action.name) || fields.some((field) => field.required === true)
  // The second click of a double click meets the button that follows.
  const run = ({ detail }: MouseEvent) => {
    if (detail > 1) return
    if (needsMore) open()
    else void attempt(() => trigger(action.name, id))
  }
  const tone = first ? 'primary' : 'plain'
  return (
    <span class="split">
      <Button tone={tone} title={action.title} onClick={run}>
        {label} {effect === undefined ? null : <span class="effect">{effect}</span>}
      </Button>
      {fields.length === 0 || needsMore ? null : (
        <Button
          tone={tone}
          accessibleName={t`${t(label)} with parameters`}
          title="Set options for this action"
          onClick={open}
        >
          …
        </Button>
      )}
    </span>
  )
}
