/** The payer's page in Brazilian Portuguese. */
import type { PayTexts } from './en.js'

export const pt: PayTexts = {
  locale: 'pt-BR',
  month: '2-digit',
  decimalSign: ',',
  symbols: { BRL: 'R$', MXN: 'MX$' },
  symbolGap: '\u00a0',
  states: {
    pending: { title: 'Pagar', lead: 'Pagar para' },
    confirmed: {
      title: 'Pago',
      lead: 'Pago para',
      note: 'O pagamento foi recebido. Você já pode fechar esta página.',
      at: 'Pago em',
    },
    expired: {
      title: 'Expirada',
      lead: 'Cobrança de',
      note: 'Esta cobrança não pode mais ser paga. Peça uma nova.',
      at: 'Expirou em',
    },
    refunded: {
      title: 'Devolvido',
      lead: 'Devolvido por',
      note: 'O dinheiro foi devolvido para você.',
      at: 'Devolvido em',
    },
  },
  partlyRefunded: {
    title: 'Devolvido em parte',
    note: ({ refunded, amount }) => `${refunded} de ${amount} foram devolvidos para você.`,
  },
  timeLeft: 'Expira em',
  copy: 'Copiar',
  copied: 'Copiado',
  howToPay: 'Como pagar',
  qrCode: 'QR Code',
  pix: {
    steps: [
      'Abra o app do seu banco e escolha Pix.',
      'Escaneie o QR Code ou cole o código em Pix Copia e Cola.',
      'Confira o valor e quem recebe, e confirme. O comprovante aparece aqui.',
    ],
    code: 'Pix Copia e Cola',
  },
  spei: {
    steps: [
      'Abra o app do seu banco no México e escolha transferir por SPEI.',
      'Copie a CLABE e informe no app o valor, a descrição e a referência que estão abaixo.',
      'Confirme. O comprovante aparece aqui quando o pagamento chegar.',
    ],
    bank: 'Banco',
    beneficiary: 'Quem recebe',
    amount: 'Valor',
    concept: 'Descrição (concepto)',
    reference: 'Referência (referencia)',
  },
  chain: {
    steps: ({ price, network, confirmations }) => [
      `Abra sua carteira e escolha a rede ${network}, e nenhuma outra.`,
      `Escaneie o código ou cole o endereço, e envie exatamente ${price}.`,
      `Aguarde ${confirmations} confirmações. O comprovante aparece aqui.`,
    ],
    address: 'Endereço',
    amount: 'Valor',
    network: 'Rede',
  },
  receipt: {
    title: 'Comprovante',
    amount: 'Valor pago',
    requested: 'Valor cobrado',
    refunded: 'Valor devolvido',
    accepted: 'O valor pago foi aceito. Não falta nada.',
    payer: 'Quem pagou',
    recipient: 'Quem recebeu',
    charge: 'ID da cobrança',
    proofs: {
      e2e_id: 'ID do Pix (E2E)',
      tracking_key: 'Chave de rastreio (clave de rastreo)',
      hash: 'Hash da transação',
    },
  },
  tester: {
    title: 'Para quem testa',
    note: 'nenhum dinheiro real é movido',
    frozen: 'o relógio está parado',
    pay: 'Pagar',
    underpay: (price) => `Pagar só ${price}`,
    expire: 'Expirar',
    refund: 'Estornar',
    dashboard: 'Painel',
    token: 'Token de administração',
    use: 'Usar',
    noAnswer: 'O sandbox não responde.',
  },
  zones: { pix: 'Brasília', spei: 'Cidade do México', chain: 'UTC' },
  unknown: {
    title: 'Cobrança não encontrada',
    lead: 'Não há nada para pagar aqui',
    note: (id) => `Não existe a cobrança ${id} neste sandbox. Um reset apaga as cobranças anteriores.`,
  },
}
