/** As the English ones: words of one thing in everyday German, and compounds that stand for it. */
export const GERMAN = `
  versand lieferung zustellung versenden liefern verschicken schicken senden zusenden sendung;
  versandkosten porto lieferkosten versandgebühr liefergebühr versand lieferung;
  lieferzeit lieferdauer versanddauer lieferung zustellung; lieferzeit ankommen eintreffen ankunft;
  paket päckchen sendung lieferung; spedition kurier paketdienst versanddienst;
  kosten preis gebühr entgelt tarif betrag kostet preise; teuer kosten preis; zahlen bezahlen zahlung bezahlung begleichen;
  zahlungsart zahlungsweise zahlungsmöglichkeit bezahlung zahlen; karte kreditkarte ec girocard visa mastercard;
  bar bargeld barzahlung; überweisung überweisen banküberweisung vorkasse; lastschrift einzug abbuchen bankeinzug;
  rate raten ratenzahlung teilzahlung finanzierung abzahlen monatsrate; anzahlung vorauszahlung vorkasse;
  rechnung quittung beleg kassenbon kassenzettel bon; mehrwertsteuer umsatzsteuer mwst ust;
  rabatt nachlass ermäßigung vergünstigung preisnachlass skonto gutschein; gutschein gutscheincode rabattcode coupon;
  ermäßigung ermäßigt vergünstigt; kostenlos gratis kostenfrei umsonst unentgeltlich frei; billig günstig preiswert;
  kaution pfand sicherheitsleistung hinterlegen; mahnung säumnis verspätet überfällig; strafe bußgeld geldbuße verwarnung;
  rückgabe rücksendung retoure zurückgeben zurückschicken zurücksenden umtausch widerruf zurücknehmen;
  erstattung rückerstattung erstatten zurückzahlen rückzahlung kaufpreis; umtausch umtauschen tauschen austausch austauschen ersetzen;
  garantie gewährleistung; kaputt defekt beschädigt schaden fehlerhaft mangel zerbrochen;
  reklamation beschwerde beanstandung reklamieren beschweren; reparatur reparieren instandsetzung ausbessern richten;
  wartung inspektion durchsicht service; ersatzteil ersatz zubehör; werkstatt reparatur service;
  bestellen bestellung auftrag kaufen kauf erwerben; kaufen kauf erwerben anschaffen; verkaufen verkauf anbieten;
  gebraucht zahlung ankauf gebrauchtware secondhand; verfügbar lieferbar vorrätig lager bestand; ausverkauft vergriffen;
  absagen absage stornieren stornierung storno kündigen kündigung abmelden abmeldung;
  kündigung kündigen beenden vertragsende; abbestellen abmelden abmeldung kündigen; newsletter rundbrief rundschreiben;
  termin vereinbarung vereinbaren verabredung sprechstunde; buchen buchung reservieren reservierung;
  verschieben verlegen umbuchen; öffnungszeiten öffnungszeit geöffnet offen auf öffnen sprechzeiten sprechzeit;
  geschlossen zu ruhetag schließen schließt schließtag; wochenende samstag samstags sonntag sonntags;
  feiertag feiertage ostern weihnachten; mittagspause pause mittags; laden geschäft ladengeschäft shop filiale betrieb;
  firma unternehmen betrieb; kunde kunden käufer besteller; telefon anrufen nummer telefonnummer anruf telefonisch hotline rufnummer;
  handy mobiltelefon smartphone mobil; email mail mailadresse emailadresse; kontakt erreichen ansprechpartner kontaktieren;
  adresse anschrift standort lage; anfahrt weg wegbeschreibung route hinkommen; parken parkplatz parkplätze abstellen stellplatz parkhaus;
  auto wagen pkw fahrzeug; straßenbahn tram bahn; bus bahn öpnv nahverkehr haltestelle; zug bahn; fahrrad rad bike velo;
  rollstuhl rollstuhlfahrer barrierefrei barrierefreiheit rampe behindert behinderung gehbehindert; aufzug fahrstuhl lift;
  toilette wc klo; hund haustier tier; kinder kind baby kleinkind; jugendliche jugendlicher teenager;
  schüler student studierende studenten studentin lernende auszubildende azubi; rentner senior senioren pensionär;
  mitarbeiter personal team angestellte beschäftigte; stelle stellenangebot job arbeit arbeitsplatz karriere bewerbung bewerben mitarbeiter;
  ausbildung lehre lehrstelle azubi; praktikum praktikant; chef chefin inhaber inhaberin leiter leiterin leitet geschäftsführer geschäftsführung;
  gegründet gründung gründer gegründet seit; leihen ausleihen mieten verleih vermietung miete leihgebühr mietpreis;
  miete mietpreis kaltmiete; mieter bewohner; vermieter hausverwaltung; wohnung apartment; umzug umziehen wohnsitz ummelden ummeldung;
  anmelden anmeldung registrieren registrierung; anmelden einloggen login; konto kundenkonto account benutzerkonto profil;
  passwort kennwort zugangsdaten; benutzername nutzername; einstellung einstellungen konfiguration; herunterladen download laden;
  hochladen upload; drucken ausdrucken drucker; löschen entfernen; ändern änderung bearbeiten anpassen; speichern sichern;
  formular antrag vordruck; beantragen antrag antragstellung; unterlagen dokumente nachweise papiere; ausweis personalausweis pass reisepass;
  führerschein fahrerlaubnis; bescheinigung bestätigung nachweis zeugnis; genehmigung erlaubnis bewilligung; bürgeramt einwohnermeldeamt meldebehörde;
  amt behörde verwaltung rathaus; steuer steuern abgabe; frist stichtag einsendeschluss termin; gültig gültigkeit gelten;
  verlängern verlängerung; ablaufen abgelaufen ablauf; müll abfall restmüll; sperrmüll sperrgut; müllabfuhr abholung leerung;
  mülltonne tonne behälter; wertstoffhof recyclinghof; abholen abholung selbstabholung; heiraten hochzeit eheschließung trauung;
  geburt neugeborenes geburtsurkunde; arzt ärztin mediziner doktor; krank krankheit erkrankt; krankenkasse krankenversicherung;
  versicherung versichert; notfall notdienst bereitschaft; zahnarzt zähne; apotheke medikament arznei arzneimittel;
  unterricht kurs stunde lehrgang; anfänger einsteiger; lehrer lehrerin dozent; prüfung test klausur; alter jahre mindestalter;
  eintritt eintrittskarte ticket eintrittspreis; führung rundgang besichtigung; ausstellung schau; essen speisen gericht mahlzeit;
  vegetarisch fleischlos; vegan pflanzlich; allergie unverträglichkeit allergen; trinken getränk getränke; frühstück morgens;
  übernachten übernachtung unterkunft zimmer; haustiere hund hunde; wlan wifi internet; rauchen raucher; gepäck koffer;
  größe maße abmessungen; gewicht schwer wiegen wiegt; breite breit; höhe hoch; länge lang; farbe farben; stoff material;
  waschen reinigen reinigung säubern pflege; akku batterie; strom energie; heizung heizen wärme; wasser trinkwasser;
  verloren fundsache fundbüro verlust; gestohlen diebstahl geklaut; datenschutz daten personenbezogen; sicher sicherheit;
  hilfe unterstützung beratung; fragen frage anfrage rückfrage; mitglied mitgliedschaft beitritt; beitrag mitgliedsbeitrag;
  spende spenden; verein club; ehrenamt freiwillige ehrenamtlich; bald demnächst; schnell zügig eilig express; mindestens minimum;
  höchstens maximal maximum höchstmenge`
  .trim()
  .split(/;\s+/)
  .map((group) => group.split(/\s+/));

/** German words as common as those of `COMMON`. */
export const COMMON_GERMAN = `
  abgeben anbieten anfangen angeben antwort ausgeben bedeuten beginnen bekommen benötigen besser bieten bleiben brauchen bringen
  bitte dauern dauer denken einfach ende erfahren erhalten erklären erlaubt fall finden führen geben geeignet gehen gehören
  genau genug gibt gilt groß gut halten heißen helfen hoch holen kennen klappt kommen können kriegen lange lassen laufen leicht
  liegen machen mehr mehrere meinen möchten möglich nehmen nennen neu nötig nutzen passen passieren richtig sagen schicken
  schon sehen selbst sollen spät stehen stellen suchen teil tun unterschied verschieden verstehen viel vorher wahr warten weit
  welche wenig wichtig wieder wissen wollen wünschen zeigen zeit ziehen`;
