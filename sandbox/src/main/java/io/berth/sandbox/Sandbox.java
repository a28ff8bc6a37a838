package io.berth.sandbox;

import io.berth.sandbox.admission.Admission;
import io.berth.sandbox.admission.PodDefaulting;
import io.berth.sandbox.admission.PodDefaults;
import io.berth.sandbox.auth.ApiUse;
import io.berth.sandbox.auth.RbacAuthorizer;
import io.berth.sandbox.auth.Tokens;
import io.berth.sandbox.discovery.Discovery;
import io.berth.sandbox.http.ApiServer;
import io.berth.sandbox.http.Certificates;
import io.berth.sandbox.kind.BuiltInRules;
import io.berth.sandbox.openapi.FieldCheck;
import io.berth.sandbox.openapi.OpenApiDocuments;
import io.berth.sandbox.openapi.SchemaCatalog;
import io.berth.sandbox.patch.Patches;
import io.berth.sandbox.resource.BuiltInResources;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.ClusterApi;
import io.berth.sandbox.rest.CustomResources;
import io.berth.sandbox.rest.Operations;
import io.berth.sandbox.rest.RestParts;
import io.berth.sandbox.schema.StructuralSchemaCompiler;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.table.Tables;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * An embedded, in-memory Kubernetes API server. Clients connect with its kubeconfig. Closing it
 * stops the server and discards all data.
 */
public final class Sandbox implements AutoCloseable {
  private final ObjectStore store;
  private final Operations operations;
  private final Admission admission;
  private final Certificates certificates;
  private final Tokens tokens;
  private final ApiServer server;
  private final String host;

  private Sandbox(SandboxOptions options) {
    this.host = options.host();
    this.store = new ObjectStore(options.history());
    ResourceRegistry registry = new ResourceRegistry();
    List<ResourceType> builtIns = BuiltInResources.of(options.version());
    builtIns.forEach(registry::add);
    SchemaCatalog catalog = new SchemaCatalog(builtIns, options.version());
    StructuralSchemaCompiler compiler = new StructuralSchemaCompiler();
    CustomResources customResources = new CustomResources(registry, catalog, compiler);
    PodDefaults podDefaults = new PodDefaulting();
    Patches patches = new Patches();
    ServiceAddresses services = new ServiceAddresses(store, registry);
    RbacAuthorizer authorizer = new RbacAuthorizer(store, registry);
    this.admission = new Admission(store, registry, authorizer, services, options.version());
    this.operations =
        new Operations(
            new RestParts(
                store,
                registry,
                catalog,
                new FieldCheck(catalog),
                new BuiltInRules(podDefaults, compiler, options.version()),
                patches,
                patches,
                admission,
                customResources,
                options.clock(),
                options.version()));
    Bootstrap.create(operations);
    this.certificates = Certificates.make(options.host());
    this.tokens =
        new Tokens(store, registry.builtIn("", "serviceaccounts").storage(), options.clock());
    this.server =
        ApiServer.start(
            new InetSocketAddress(options.host(), options.port()),
            certificates,
            operations,
            tokens,
            authorizer,
            new Discovery(registry),
            new OpenApiDocuments(registry, catalog),
            new Tables(customResources, options.clock()),
            services,
            options.clock());
    Bootstrap.describeServer(
        operations, options.host(), server.port(), certificates.authorityPem());
  }

  /**
   * Starts a cluster without nodes.
   *
   * @throws io.berth.sandbox.http.PortInUseException if another process listens on the port
   */
  public static Sandbox start(SandboxOptions options) {
    return new Sandbox(options);
  }

  /** The base URL of the server, for example {@code https://127.0.0.1:6443}. */
  public String url() {
    return "https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + server.port();
  }

  /** The certificate authority that clients must trust, as PEM. */
  public String certificateAuthority() {
    return certificates.authorityPem();
  }

  /** A kubeconfig for the cluster administrator. */
  public String kubeconfig() {
    return kubeconfig(tokens.adminToken());
  }

  /** A kubeconfig that uses the given bearer token, for example a ServiceAccount token. */
  public String kubeconfig(String token) {
    String authority =
        Base64.getEncoder()
            .encodeToString(certificates.authorityPem().getBytes(StandardCharsets.US_ASCII));
    return """
    apiVersion: v1
    kind: Config
    clusters:
    - name: berth-sandbox
      cluster:
        server: %s
        certificate-authority-data: %s
    users:
    - name: berth-sandbox
      user:
        token: %s
    contexts:
    - name: berth-sandbox
      context:
        cluster: berth-sandbox
        user: berth-sandbox
    current-context: berth-sandbox
    """
        .formatted(url(), authority, token);
  }

  /** Writes the administrator's kubeconfig to a file. */
  public void writeKubeconfig(Path file) throws IOException {
    Files.writeString(file, kubeconfig());
  }

  /** Returns the number of requests since the start, by user, verb, and resource. */
  public Map<ApiUse, Long> apiUsage() {
    return server.usage();
  }

  /** The API without HTTP, for cluster components that run in this process. */
  public ClusterApi api() {
    return operations;
  }

  @Override
  public void close() {
    store.close();
    server.close();
    operations.close();
    admission.close();
  }
}
