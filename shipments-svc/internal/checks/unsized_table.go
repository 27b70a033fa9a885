package checks

import "strings"

// unsized lists the names of produce that is sold without a calibre, with the
// reason: its UNECE standard does not size it, or sets a minimum only. Not
// verified against the published texts.
var unsized = func() map[string]string {
	all := map[string]string{}
	for _, row := range []struct{ words, source string }{
		{
			"blueberry blueberries arándano arándanos arandano arandanos myrtille myrtilles mirtilo mirtilos bloubessie bloubessies biloxi ventura " +
				"raspberry raspberries frambuesa frambuesas framboise framboises framboesa framboesas framboos frambose " +
				"blackberry blackberries mora moras mûre mûres amora amoras currant currants redcurrants grosella grosellas groseille groseilles physalis uchuva aguaymanto",
			"UNECE FFV-57, berry fruits: no sizing requirement",
		},
		{"strawberry strawberries fresa fresas frutilla frutillas fraise fraises morango morangos aarbei aarbeie", "UNECE FFV-35, strawberries: a minimum only"},
		{"bean beans judía judías judia judias vainita vainitas ejote ejotes poroto haricot haricots feijão boontjie boontjies", "UNECE FFV-06, beans: sizing is not compulsory"},
		{"pea peas mangetout mangetouts snowpea snowpeas sugarsnap sugarsnaps arveja arvejas guisante guisantes tirabeque tirabeques pois ervilha ervilhas ertjie ertjies", "UNECE FFV-27, peas: sizing is not compulsory"},
		{"spinach espinaca espinacas épinard épinards espinafre rocket rúcula rucula roquette lettuce lechuga lechugas laitue laitues alface salad", "UNECE FFV-58, leafy vegetables: sizing is not compulsory"},
		{"basil albahaca basilic coriander cilantro parsley perejil persil mint menta menthe chives dill rosemary thyme herbs hierbas herbes", "none: culinary herbs"},
		{"okra bhindi gombo", "none: okra"},
		{"ginger jengibre gingembre gengibre turmeric cúrcuma curcuma", "none: rhizomes"},
		{"chilli chillies chili chilies chile chiles ají piment piments malagueta", "UNECE FFV-61, chilli peppers: sizing is not compulsory"},
		{"date dates dátil dátiles datte dattes tâmara tâmaras dadel dadels medjool", "UNECE DDP-08, dates: a minimum only"},
	} {
		for word := range strings.FieldsSeq(row.words) {
			all[word] = row.source
		}
	}
	return all
}()
