/** Requests that work as they stand against a fresh sandbox; only a dispute must exist first. */
import type { EndpointName } from '../../protocol/api/endpoints.js'

export const exampleInfractionId = '3b7b1478-2487-4cb2-b9bd-9f79efd59f5b'

interface RequestExample {
  summary: string
  value: Record<string, unknown>
}

const conversion = { base_currency: 'BRL', destination_currency: 'USDT', amount: 100 }

/** The first of each is the one that the page shows. */
export const requestExamples: Record<EndpointName, Record<string, RequestExample>> = {
  token: { token: { summary: 'A token', value: { grant_type: 'client_credentials' } } },
  cashin: {
    pix: {
      summary: 'A PIX charge',
      value: {
        amount: 150,
        currency: 'BRL',
        external_id: 'order-1001',
        payer: { name: 'Ana Souza', document: '52998224725', email: 'ana@example.com' },
      },
    },
    crypto: {
      summary: 'A USDT charge over Tron',
      value: { amount: 50, currency: 'USDT', chain: 'tron', external_id: 'order-1002' },
    },
    spei: { summary: 'A SPEI charge', value: { amount: 250, currency: 'MXN', external_id: 'order-1003' } },
    split: {
      summary: 'A charge shared with another account',
      value: {
        amount: 80,
        currency: 'BRL',
        external_id: 'order-1004',
        split: [{ username: 'customer', percentage: 10 }],
      },
    },
  },
  cashout: {
    pix: {
      summary: 'To a PIX key',
      value: { external_id: 'payout-2001', amount: 80, currency: 'BRL', key: '52998224725', key_type: 'cpf' },
    },
    crypto: {
      summary: 'USDT over Tron',
      value: {
        external_id: 'payout-2002',
        amount: 10,
        currency: 'USDT',
        network: 'tron',
        key: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
      },
    },
    spei: {
      summary: 'To a CLABE',
      value: { external_id: 'payout-2003', amount: 100, currency: 'MXN', key: '032180000118359719', name: 'Ana Souza' },
    },
  },
  pixPayment: {
    pix: {
      summary: 'To a PIX key',
      value: {
        amount: 80,
        external_id: 'payout-2004',
        description: 'Payout of November',
        creditParty: { name: 'Ana Souza', keyType: 'cpf', key: '52998224725', taxId: '52998224725' },
      },
    },
  },
  wallet: {
    crypto: { summary: 'A Tron address', value: { currency: 'USDT', chain: 'tron' } },
    pix: { summary: 'A static PIX key', value: { currency: 'BRL' } },
  },
  transfer: {
    transfer: {
      summary: 'A transfer',
      value: {
        username: 'customer',
        amount: 25,
        currency: 'BRL',
        external_id: 'transfer-3001',
        description: 'Shared dinner',
      },
    },
  },
  rate: { rate: { summary: 'BRL to USDT', value: conversion } },
  simulate: { simulate: { summary: 'BRL to USDT', value: conversion } },
  conversion: { conversion: { summary: 'BRL to USDT', value: { ...conversion, external_id: 'conversion-4001' } } },
  transactionList: {
    page: { summary: 'The newest', value: { page: 1, page_size: 20 } },
    filtered: {
      summary: 'Paid charges of one month',
      value: {
        page: 1,
        page_size: 50,
        type: 'cashin',
        status: 'confirmed',
        currency: 'BRL',
        from_date: '2026-11-01',
        to_date: '2026-11-30',
      },
    },
  },
  balance: {},
  profile: {},
  limits: {},
  fees: {},
  infractionList: { open: { summary: 'Open disputes', value: { page: 1, page_size: 50, status: 'open' } } },
  infractionDetail: { detail: { summary: 'One dispute', value: { id: exampleInfractionId } } },
  infractionReply: {
    reply: {
      summary: 'A reply',
      value: { id: exampleInfractionId, message: 'The goods were delivered on 19 November; the receipt is attached.' },
    },
  },
}
