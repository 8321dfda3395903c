/**
 * Countries by region, as ISO 3166 codes: regions of UN M49 by their numbers, and the European Union, as `territoryContainment` of
 * CLDR 46 has them.
 */
const COUNTRIES: Record<string, string> = {
  '005': 'AR BO BR BV CL CO EC FK GF GS GY PE PY SR UY VE',
  '011': 'BF BJ CI CV GH GM GN GW LR ML MR NE NG SH SL SN TG',
  '013': 'BZ CR GT HN MX NI PA SV',
  '014': 'BI DJ ER ET IO KE KM MG MU MW MZ RE RW SC SO SS TF TZ UG YT ZM ZW',
  '015': 'DZ EA EG EH IC LY MA SD TN',
  '017': 'AO CD CF CG CM GA GQ ST TD',
  '018': 'BW LS NA SZ ZA',
  '021': 'BM CA GL PM US',
  '029': 'AG AI AW BB BL BQ BS CU CW DM DO GD GP HT JM KN KY LC MF MQ MS PR SX TC TT VC VG VI',
  '030': 'CN HK JP KP KR MN MO TW',
  '034': 'AF BD BT IN IR LK MV NP PK',
  '035': 'BN ID KH LA MM MY PH SG TH TL VN',
  '039': 'AD AL BA ES GI GR HR IT ME MK MT PT RS SI SM VA XK',
  '053': 'AU CC CX HM NF NZ',
  '054': 'FJ NC PG SB VU',
  '057': 'FM GU KI MH MP NR PW UM',
  '061': 'AS CK NU PF PN TK TO TV WF WS',
  '143': 'KG KZ TJ TM UZ',
  '145': 'AE AM AZ BH CY GE IL IQ JO KW LB OM PS QA SA SY TR YE',
  '151': 'BG BY CZ HU MD PL RO RU SK UA',
  '154': 'AX DK EE FI FO GB GG IE IM IS JE LT LV NO SE SJ',
  '155': 'AT BE CH DE FR LI LU MC NL',
  EU: 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK',
};

/** Regions of regions. M49 has Cyprus in Asia, and who posts to Europe has the European Union in mind. */
const REGIONS: Record<string, string> = {
  '001': '002 009 019 142 150',
  '002': '011 014 015 017 018',
  '003': '013 021 029',
  '009': '053 054 057 061',
  '019': '005 013 021 029',
  '142': '030 034 035 143 145',
  '150': '039 151 154 155 EU',
  '419': '005 013 029',
};

export const WORLD = '001';

/** The countries of a region, or the country alone that a code stands for. */
export function membersOf(code: string): readonly string[] {
  const parts = REGIONS[code]?.split(' ');
  return parts ? [...new Set(parts.flatMap(membersOf))] : (COUNTRIES[code]?.split(' ') ?? [code]);
}

export const REGION_CODES = [...Object.keys(COUNTRIES), ...Object.keys(REGIONS)];
export const COUNTRY_CODES = membersOf(WORLD);
