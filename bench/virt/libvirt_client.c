/* libvirt's own C library as the client. No event loop is registered: so a call costs it least. */
#include <libvirt/libvirt.h>

#include "bench/virt/meter.h"

static long get_version(void* connection) {
    unsigned long version = 0;
    return virConnectGetLibVersion((virConnectPtr)connection, &version) == 0;
}

static long get_node(void* connection) {
    virNodeInfo info;
    return virNodeGetInfo((virConnectPtr)connection, &info) == 0;
}

static long look_up(void* connection) {
    const virDomainPtr domain = virDomainLookupByName((virConnectPtr)connection, "vm-1");
    if (domain == NULL) return 0;
    virDomainFree(domain);
    return 1;
}

/* Names, identities and UUIDs. */
static long list_names(void* connection) {
    virDomainPtr* domains = NULL;
    const int count = virConnectListAllDomains((virConnectPtr)connection, &domains, 0);
    for (int i = 0; i < count; ++i) virDomainFree(domains[i]);
    free(domains);
    return count > 0;
}

/* What virsh list does: the names by one call, then the state of each. */
static long list_states(void* connection) {
    virDomainPtr* domains = NULL;
    const int count = virConnectListAllDomains((virConnectPtr)connection, &domains, 0);
    long good = count > 0;
    for (int i = 0; i < count; ++i) {
        int state = 0, reason = 0;
        if (virDomainGetState(domains[i], &state, &reason, 0) != 0) good = 0;
        virDomainFree(domains[i]);
    }
    free(domains);
    return good;
}

/* The same by one call, for programs whose authors know of it. */
static long list_by_stats(void* connection) {
    virDomainStatsRecordPtr* records = NULL;
    const int count =
        virConnectGetAllDomainStats((virConnectPtr)connection, VIR_DOMAIN_STATS_STATE, &records, 0);
    if (count > 0) virDomainStatsRecordListFree(records);
    return count > 0;
}

/* `hold` starts domains and keeps the connection, and with it the state of the test driver, until
 * its standard input ends. */
static void hold(virConnectPtr connection, long count) {
    char xml[256];
    for (long i = 1; i <= count; ++i) {
        snprintf(xml, sizeof xml,
                 "<domain type='test'><name>vm-%ld</name><memory>1048576</memory>"
                 "<os><type>hvm</type></os></domain>",
                 i);
        const virDomainPtr domain = virDomainCreateXML(connection, xml, 0);
        if (domain == NULL) give_up("no more domains");
        virDomainFree(domain);
    }
    printf("ready\n");
    fflush(stdout);
    while (getchar() != EOF) {
    }
}

int main(int count, char** words) {
    const struct {
        const char* name;
        DoIt do_it;
    } things[] = {{"version", get_version}, {"node", get_node},      {"lookup", look_up},
                  {"names", list_names},    {"states", list_states}, {"stats", list_by_stats}};
    const struct Words options = read_words(count, words);
    const virConnectPtr connection = virConnectOpen(options.uri);
    if (connection == NULL) give_up("libvirt does not connect");
    for (size_t i = 0; i < sizeof things / sizeof *things; ++i)
        if (strcmp(things[i].name, options.what) == 0) {
            measure(&options, things[i].do_it, connection);
            return virConnectClose(connection) != 0;
        }
    if (strcmp(options.what, "hold") != 0) give_up("it does not do that");
    hold(connection, options.count);
    return virConnectClose(connection) != 0;
}
