package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.atomic.AtomicInteger;

/** The rules of Services: defaults, and a cluster IP assigned sequentially from 10.96.0.0/16. */
final class ServiceRules implements KindRules {
  private final AtomicInteger next = new AtomicInteger(1);

  @Override
  public NameFormat nameFormat() {
    return NameFormat.SERVICE;
  }

  @Override
  public void applyDefaults(ObjectNode service) {
    ObjectNode spec = service.withObjectProperty("spec");
    Defaults.text(spec, "type", "ClusterIP");
    Defaults.text(spec, "sessionAffinity", "None");
    if (!spec.path("type").asText().equals("ExternalName")) {
      if (!spec.hasNonNull("clusterIP")) {
        int address = next.incrementAndGet();
        spec.put("clusterIP", "10.96." + ((address >> 8) & 0xff) + "." + (address & 0xff));
      }
      if (!spec.has("clusterIPs")) {
        spec.putArray("clusterIPs").add(spec.path("clusterIP").asText());
      }
      Defaults.text(spec, "internalTrafficPolicy", "Cluster");
      Defaults.text(spec, "ipFamilyPolicy", "SingleStack");
      if (!spec.has("ipFamilies")) {
        spec.putArray("ipFamilies").add("IPv4");
      }
    }
    for (JsonNode port : spec.path("ports")) {
      if (port instanceof ObjectNode each) {
        Defaults.text(each, "protocol", "TCP");
        if (!each.hasNonNull("targetPort")) {
          each.set("targetPort", each.path("port"));
        }
      }
    }
    Defaults.object(service.withObjectProperty("status"), "loadBalancer");
  }

  @Override
  public void prepareForUpdate(ObjectNode service, ObjectNode old) {
    ObjectNode spec = service.withObjectProperty("spec");
    for (String field : new String[] {"clusterIP", "clusterIPs"}) {
      if (!spec.hasNonNull(field) && old.path("spec").has(field)) {
        spec.set(field, old.path("spec").path(field));
      }
    }
  }
}
