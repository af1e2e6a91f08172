package configs

import "strings"

// currencies are the codes of ISO 4217 (list one, as of 2026) in which somebody
// can be asked to pay, by the digits that they have behind the point. Funds, metals
// and codes for tests are left out.
var currencies = [...]string{
	0: `BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF`,
	2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF
		CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD
		HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK
		MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD
		RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS
		UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
	3: `BHD IQD JOD KWD LYD OMR TND`,
}

// minorDigits is how many digits a currency has behind the point; known is false
// for a code that is none.
func minorDigits(code string) (digits int, known bool) {
	for digits, codes := range currencies {
		for c := range strings.FieldsSeq(codes) {
			if c == code {
				return digits, true
			}
		}
	}
	return 0, false
}
