/**
 * What has a number of its own, in the languages of the widget: owners name variables in English or in their own language,
 * and visitors speak of them in theirs. A line a thing.
 */
const NOUNS = `
order bestellung auftrag pedido commande ordine encomenda bestelling zamówienie beställning ordre bestilling tilaus rendelés comandă comanda sipariş заказ замовлення поръчка παραγγελία objednávka הזמנה طلب ऑर्डर 注文 订单 訂單 주문
booking reservation buchung reservierung reserva réservation prenotazione boeking reservering rezerwacja bokning reservasjon varaus foglalás rezervare rezervasyon rezervace бронь бронирование бронювання резервация κράτηση حجز बुकिंग 予約 预订 預訂 예약
invoice bill rechnung factura facture fattura fatura factuur faktura regning lasku számla factură счёт счет рахунок фактура τιμολόγιο חשבונית فاتورة चालान 請求書 发票 發票 송장
parcel shipment package sendung paket envío paquete colis spedizione pacco remessa zending pakket przesyłka paczka försändelse forsendelse pakke lähetys paketti csomag colet gönderi kargo посылка посилка пратка δέμα zásilka חבילה شحنة पार्सल 荷物 包裹 택배
contract vertrag contrato contrat contratto umowa avtal kontrakt sopimus szerződés sözleşme договор договір договір σύμβαση smlouva חוזה عقد अनुबंध 契約 合同 계약
`;

const lines = NOUNS.trim()
  .split('\n')
  .map((line) => line.split(' '));

/** What visitors call the same thing, this word among them; the word alone where it is none of these. */
export const sameNouns = (word: string): readonly string[] => lines.find((line) => line.includes(word)) ?? [word];
