// Arrays by number of which few entries are set: pages come where something is set. Whatever is not
// set reads as bytes of ones: a NaN, or the largest unsigned number. A map of a few nodes then costs
// what it holds, however long the pool of expressions is.
#ifndef CT_PAGES_H
#define CT_PAGES_H

#include <stddef.h>
#include <stdint.h>

enum { CT_PAGE = 256 }; // entries: a page of nodes is touched as a whole, 1 to 2 kB

typedef struct ct_pages {
    void **page;
    uint32_t n; // room for pages
} ct_pages;

// The page of entry i, made if there is none; size: bytes of an entry.
void *ct_pages_make(ct_pages *pages, uint32_t i, size_t size);
void ct_pages_clear(ct_pages *pages);

// The page of entry i, NULL: nothing is set there.
static inline const void *ct_pages_find(const ct_pages *pages, uint32_t i) {
    return i / CT_PAGE < pages->n ? pages->page[i / CT_PAGE] : NULL;
}

#endif
