/** The payer's page in Mexican Spanish. */
import type { PayTexts } from './en.js'

export const es: PayTexts = {
  locale: 'es-MX',
  month: '2-digit',
  decimalSign: '.',
  symbols: { BRL: 'R$', MXN: '$' },
  symbolGap: '',
  states: {
    pending: { title: 'Pagar', lead: 'Pagar a' },
    confirmed: {
      title: 'Pagado',
      lead: 'Pagado a',
      note: 'Recibimos el pago. Ya puedes cerrar esta página.',
      at: 'Pagado el',
    },
    expired: {
      title: 'Vencido',
      lead: 'Cobro de',
      note: 'Este cobro ya no se puede pagar. Pide uno nuevo.',
      at: 'Venció el',
    },
    refunded: {
      title: 'Devuelto',
      lead: 'Devuelto por',
      note: 'Se te devolvió el dinero.',
      at: 'Devuelto el',
    },
  },
  partlyRefunded: {
    title: 'Devuelto en parte',
    note: ({ refunded, amount }) => `Se te devolvieron ${refunded} de ${amount}.`,
  },
  timeLeft: 'Vence en',
  copy: 'Copiar',
  copied: 'Copiado',
  howToPay: 'Cómo pagar',
  qrCode: 'Código QR',
  pix: {
    steps: [
      'Abre la app de tu banco en Brasil y elige Pix.',
      'Escanea el código QR o pega el código en Pix Copia e Cola.',
      'Revisa el monto y quién recibe, y confirma. El comprobante aparece aquí.',
    ],
    code: 'Pix Copia e Cola',
  },
  spei: {
    steps: [
      'Abre la app de tu banco y elige transferir por SPEI.',
      'Copia la CLABE y captura el monto, el concepto y la referencia.',
      'Confirma. El comprobante aparece aquí cuando llegue el pago.',
    ],
    bank: 'Banco',
    beneficiary: 'Beneficiario',
    amount: 'Monto',
    concept: 'Concepto',
    reference: 'Referencia',
  },
  chain: {
    steps: ({ price, network, confirmations }) => [
      `Abre tu billetera y elige la red ${network}, y ninguna otra.`,
      `Escanea el código o pega la dirección, y envía exactamente ${price}.`,
      `Espera ${confirmations} confirmaciones. El comprobante aparece aquí.`,
    ],
    address: 'Dirección',
    amount: 'Monto',
    network: 'Red',
  },
  receipt: {
    title: 'Comprobante',
    amount: 'Monto pagado',
    requested: 'Monto solicitado',
    refunded: 'Monto devuelto',
    accepted: 'Se aceptó el monto pagado. No debes nada más.',
    payer: 'Ordenante',
    recipient: 'Beneficiario',
    charge: 'ID del cobro',
    proofs: { e2e_id: 'ID de Pix (E2E)', tracking_key: 'Clave de rastreo', hash: 'Hash de la transacción' },
  },
  zones: { pix: 'Brasilia', spei: 'CDMX', chain: 'UTC' },
  unknown: {
    title: 'Cobro no encontrado',
    lead: 'Aquí no hay nada que pagar',
    note: (id) => `No existe el cobro ${id} en este sandbox. Un reset borra los cobros anteriores.`,
  },
}
