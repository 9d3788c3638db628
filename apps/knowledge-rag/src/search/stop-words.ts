const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);

/** Words of a question that say nothing about its subject, in the languages in which questions are asked. */
export const STOP_WORDS: ReadonlySet<string> = new Set([
  ...words(`a about above after again all am an and any are as at be because been before being below between both but by
    can cannot could did do does doing done during each else etc every few for from further get gets getting give given go
    goes going got had has have having he her here him his how i if in into is it its itself just know let like make makes
    many may me might more most much must my need needs no nor not now of on once only or other our out over own please
    same say says see seem seems shall she should show so some something such tell than that the their them then there
    these they thing things this those through to too under until up us use used uses using very via want was way we well
    were what whatever when where whether which while who whom whose why will with within without would yes you your`),
  ...words(`advice article best check common describe documentation documented docs explain find fix guide handle
    help helps help issue issues kind kinds look meaning means mean mitigate possible problem problems question reason
    reasons recommend recommended resolve runbook runbooks solve solution step steps suddenly tips today
    troubleshoot troubleshooting typical typically understand usual usually wrong`),
  ...words(`aber als am auf aus bei beim bin bis das dass dem den der des die dies diese diesem dieser ein eine einem einen
    einer es für gegen gibt habe haben hat hilft ich ihr im ist kann kein keine man mein meine mich mir mit nach nicht noch
    nur oder ohne sein sich sie sind soll sollte tue tun um und uns unser unsere unter vom von warum was wann wegen welche
    wenn wer werden wie wieso wir wird wo zu zum zur über`),
]);

/** Chinese has no spaces: phrases of asking are cut out before pairs of characters are formed. */
export const CJK_PHRASES =
  /为什么|排查|处理|原因|办法|怎么办|怎么样|怎么|怎样|如何|什么|请问|哪些|哪个|可以|应该|需要|解决|问题|我们|你们|以及|或者|一个|时候|[的了吗呢吧是在有和与或我你它把被会能该请]/gu;
