// Arrays by number of which few entries are set.
#include "util/pages.h"
#include "util/memory.h"

#include <string.h>

void *ct_pages_make(ct_pages *pages, uint32_t i, size_t size) {
    uint32_t k = i / CT_PAGE;
    if (k >= pages->n) {
        uint32_t n = k + k / 2 + 4;
        pages->page = ct_realloc(pages->page, n, sizeof *pages->page);
        memset(pages->page + pages->n, 0, (n - pages->n) * sizeof *pages->page);
        pages->n = n;
    }
    if (!pages->page[k]) {
        // as long-lived as the list of pages, in whichever region that is
        pages->page[k] = ct_realloc_beside(pages->page, NULL, CT_PAGE, size);
        memset(pages->page[k], 0xff, CT_PAGE * size);
    }
    return pages->page[k];
}

void ct_pages_clear(ct_pages *pages) {
    for (uint32_t k = 0; k < pages->n; k++) ct_free(pages->page[k]);
    ct_free(pages->page);
    *pages = (ct_pages){0};
}
