// A target needs a file to have its headers precompiled (helio_precompiled).
