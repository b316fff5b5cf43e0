/** What the payer needs to pay a charge: code, address or CLABE. */
import type { Transaction } from '../../client/types/control.js'
import { labelOf } from '../../protocol/platform/field-labels.js'
import { Code } from './code.js'
import { Id } from './copy.js'
import { Facts } from './layout.js'
import { Qr } from './qr.js'
import { WrappedText } from './text.js'

const textOf = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null

type Charge = Extract<Transaction, { type: 'cashin' }>

export const PaymentCard = ({ row }: { row: Charge }) => {
  const info: Record<string, unknown> = row.payment_info ?? {}
  const [code, address, clabe] = [info.qrcode, info.address, info.clabe].map(textOf)
  return (
    <div class="payment">
      {code == null ? null : (
        <>
          <Qr text={code} label="PIX QR code" />
          <Code text={code} label="PIX copy and paste" noun="the PIX code" />
        </>
      )}
      {address == null ? null : (
        <>
          <Qr text={address} label="Deposit address as a QR code" />
          <Facts
            rows={[
              ['Address', <Id id={address} noun="the address" />],
              ['Network', wrappedValue(info.network)],
              [labelOf('min_confirmations'), wrappedValue(info.min_confirmations)],
            ]}
          />
        </>
      )}
      {clabe == null ? null : (
        <Facts
          rows={[
            ['CLABE', <Id id={clabe} noun="the CLABE" />],
            ['Bank', wrappedValue(info.bank_name)],
            ['Beneficiary', wrappedValue(info.beneficiary_name)],
            ['Reference', wrappedValue(info.reference)],
          ]}
        />
      )}
    </div>
  )
}

const wrappedValue = (value: unknown) => {
  const text = textOf(value)
  return text === null ? null : <WrappedText>{text}</WrappedText>
}
