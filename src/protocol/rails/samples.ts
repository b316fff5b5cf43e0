/** Who pays and where money goes in an ordinary operation of each rail: for forms to be filled in with. */
import type { CurrencyRow, Network } from '../api/currencies.js'

const ethereumAddress = '0x52908400098527886E0F7030069857D2E4169EE7'

const addresses: Record<Network, string> = {
  tron: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  ethereum: ethereumAddress,
  bsc: ethereumAddress,
  polygon: ethereumAddress,
  arbitrum: ethereumAddress,
  base: ethereumAddress,
  optimism: ethereumAddress,
  solana: 'So11111111111111111111111111111111111111112',
  bitcoin: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
}

type Fields = Readonly<Record<string, string>>

interface Sample {
  /** The fields of a withdrawal that say where it goes. */
  destination: (network: Network | undefined) => Fields
  /** Who pays a charge, where the rail asks for it. */
  payer: Fields
}

export const samples: Record<CurrencyRow['rail'], Sample> = {
  pix: {
    destination: () => ({ key: 'ana@example.com', key_type: 'email' }),
    payer: { 'payer.name': 'Ana Souza', 'payer.document': '52998224725' },
  },
  spei: { destination: () => ({ key: '032180000118359719', name: 'Ana Souza' }), payer: {} },
  chain: {
    destination: (network) => (network === undefined ? {} : { network, key: addresses[network] }),
    payer: {},
  },
}
