package io.berth.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.http.Certificates;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.ClusterApi;
import io.berth.sandbox.rest.WriteOptions;
import io.berth.sandbox.store.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * Creates the objects that every cluster starts with (namespaces, priority classes, RBAC roles), as
 * listed in {@code bootstrap.yaml}.
 */
final class Bootstrap {
  private Bootstrap() {}

  static void create(ClusterApi api) {
    Caller caller = Caller.controlPlane("bootstrap");
    try (InputStream in = Bootstrap.class.getResourceAsStream("bootstrap.yaml")) {
      if (in == null) {
        throw new IllegalStateException("bootstrap.yaml is missing from the sandbox's jar");
      }
      var documents = new YAMLMapper().readerFor(JsonNode.class).<JsonNode>readValues(in);
      while (documents.hasNext()) {
        ObjectNode object = (ObjectNode) documents.next();
        create(api, caller, object);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("bootstrap.yaml could not be read", e);
    }
  }

  /**
   * Creates the objects that describe the running server to clients: the {@code kubernetes} Service
   * with its endpoints, and the ConfigMap with the certificate authority, which a controller copies
   * into every namespace.
   */
  static void describeServer(ClusterApi api, String host, int port, String authority) {
    Caller caller = Caller.controlPlane("bootstrap");
    ObjectNode configMap = object("v1", "ConfigMap", "kube-system", "kube-root-ca.crt");
    configMap.putObject("data").put("ca.crt", authority);
    create(api, caller, configMap);

    ObjectNode frontProxy =
        object("v1", "ConfigMap", "kube-system", "extension-apiserver-authentication");
    frontProxy
        .putObject("data")
        .put("requestheader-client-ca-file", authority)
        .put("requestheader-allowed-names", "[\"" + Certificates.FRONT_PROXY + "\"]")
        .put("requestheader-username-headers", "[\"X-Remote-User\"]")
        .put("requestheader-uid-headers", "[\"X-Remote-Uid\"]")
        .put("requestheader-group-headers", "[\"X-Remote-Group\"]")
        .put("requestheader-extra-headers-prefix", "[\"X-Remote-Extra-\"]");
    create(api, caller, frontProxy);

    ObjectNode service = object("v1", "Service", "default", "kubernetes");
    label(service, "component", "apiserver");
    label(service, "provider", "kubernetes");
    ObjectNode spec = service.putObject("spec");
    spec.put("clusterIP", "10.96.0.1");
    spec.putArray("ports")
        .addObject()
        .put("name", "https")
        .put("port", 443)
        .put("protocol", "TCP")
        .put("targetPort", port);
    create(api, caller, service);

    ObjectNode endpoints = object("v1", "Endpoints", "default", "kubernetes");
    label(endpoints, "endpointslice.kubernetes.io/skip-mirror", "true");
    ObjectNode subset = endpoints.putArray("subsets").addObject();
    subset.putArray("addresses").addObject().put("ip", host);
    port(subset.putArray("ports").addObject(), port);
    create(api, caller, endpoints);

    ObjectNode slice = object("discovery.k8s.io/v1", "EndpointSlice", "default", "kubernetes");
    label(slice, "kubernetes.io/service-name", "kubernetes");
    slice.put("addressType", host.contains(":") ? "IPv6" : "IPv4");
    ObjectNode endpoint = slice.putArray("endpoints").addObject();
    endpoint.putArray("addresses").add(host);
    endpoint.putObject("conditions").put("ready", true);
    port(slice.putArray("ports").addObject(), port);
    create(api, caller, slice);
  }

  private static void port(ObjectNode entry, int port) {
    entry.put("name", "https").put("port", port).put("protocol", "TCP");
  }

  private static void label(ObjectNode object, String key, String value) {
    object.withObjectProperty("metadata").withObjectProperty("labels").put(key, value);
  }

  private static ObjectNode object(String apiVersion, String kind, String namespace, String name) {
    ObjectNode object = Json.object();
    object.put("apiVersion", apiVersion).put("kind", kind);
    object.putObject("metadata").put("name", name).put("namespace", namespace);
    return object;
  }

  private static void create(ClusterApi api, Caller caller, ObjectNode object) {
    String apiVersion = object.path("apiVersion").asText();
    String kind = object.path("kind").asText();
    ResourceType type =
        api.registry()
            .ofKind(apiVersion, kind)
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "bootstrap.yaml contains an object of an unknown kind: "
                            + apiVersion
                            + " "
                            + kind));
    api.create(
        caller,
        type,
        object.path("metadata").path("namespace").asText(),
        object,
        WriteOptions.plain());
  }
}
