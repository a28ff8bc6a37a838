package io.berth.operator.admission;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import io.berth.crds.Annotations;
import io.berth.webhook.binding.CatalogPart;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.ListedState;
import io.berth.webhook.binding.ObjectVersion;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Consistent, metadata-only lists of the objects that decide how a pod is rendered: configs,
 * policies, bindings and namespaces, with their versions.
 *
 * <p>(1) A list without a resource version includes every write that preceded the request,
 * whichever API server accepted it. (2) The list's own resource version also counts writes to other
 * resources, which a watch of this resource never reports, so it cannot be compared with a watch's
 * progress; the objects are compared one by one. (3) A binding applies only to pods of its own
 * namespace, unless it is in the operator's namespace, so if there are many bindings, only the
 * requested namespaces are listed. All are listed if that takes fewer requests, so the cost of a
 * round depends on the cluster and not on the namespaces that its reviews name.
 */
final class ConfigReading {

  /** The page size of a list. */
  private static final int PAGE = 500;

  /** The request timeout, longer than any wait for the result. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final int WARM_UP_ROUNDS = 5;
  private static final Logger LOG = LoggerFactory.getLogger(ConfigReading.class);
  private static final String METADATA_ONLY =
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
  private static final String OURS = "/apis/sched.cloud.ctrip.com/v1/";
  private static final String BINDING = "SchedulerConfigBinding";
  private static final ObjectReader LISTS = new ObjectMapper().readerFor(Answer.class);

  private final HttpClient http;
  private final String server;
  private final String operatorNamespace;
  private final Supplier<Sizes> sizes;
  private final boolean legacy;

  /**
   * The approximate size of the cluster: if there are few objects, or many callers, it is cheaper
   * to list all objects at once.
   */
  record Sizes(int bindings, int namespaces) {
    static Sizes of(ConfigCatalog catalog) {
      return new Sizes(catalog.bindingKeys().size(), catalog.namespaces().size());
    }

    /** Returns the number of requests that list so many objects. */
    private static int pages(int objects) {
      return 1 + objects / PAGE;
    }
  }

  /**
   * @param legacy whether ConfigMaps with legacy policies are read
   */
  ConfigReading(
      KubernetesClient client, String operatorNamespace, Supplier<Sizes> sizes, boolean legacy) {
    this.sizes = sizes;
    this.legacy = legacy;
    this.http = client.getHttpClient();
    String url = client.getMasterUrl().toString();
    this.server = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    this.operatorNamespace = operatorNamespace;
  }

  /** Opens connections and loads classes, so that the first review does not wait for that. */
  void warmUp() {
    Set<Topic> everything =
        Stream.of(CatalogPart.values())
            .map(part -> Topic.of(part, operatorNamespace))
            .collect(Collectors.toSet());
    for (int round = 0; round < WARM_UP_ROUNDS; round++) {
      try {
        read(everything).get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      } catch (ExecutionException | TimeoutException e) {
        LOG.debug("The configuration could not be listed during warm-up", e);
        return;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** Lists the current objects of these topics. */
  CompletableFuture<List<ListedState>> read(Set<Topic> topics) {
    List<CompletableFuture<ListedState>> lists = new ArrayList<>();
    Set<String> withBindings = new TreeSet<>();
    Set<String> withLabels = new TreeSet<>();
    for (Topic topic : topics) {
      switch (topic.part()) {
        case NODE_CONFIGS -> lists.add(list("NodeSchedulerConfig", OURS + "nodeschedulerconfigs"));
        case POD_CONFIGS -> lists.add(list("PodSchedulerConfig", OURS + "podschedulerconfigs"));
        case POLICIES -> {
          lists.add(list("SchedulingPolicy", OURS + "schedulingpolicies"));
          if (legacy) {
            lists.add(legacyPolicies());
          }
        }
        case QUEUES -> lists.add(list("SchedulingQueue", OURS + "schedulingqueues"));
        case BINDINGS -> withBindings.add(topic.namespace());
        case NAMESPACE -> {
          if (!topic.namespace().isEmpty()) {
            withLabels.add(topic.namespace());
          }
        }
      }
    }
    lists.addAll(bindings(withBindings));
    lists.addAll(namespaces(withLabels));
    return CompletableFuture.allOf(lists.toArray(CompletableFuture[]::new))
        .thenApply(done -> lists.stream().map(CompletableFuture::join).toList());
  }

  private List<CompletableFuture<ListedState>> bindings(Set<String> namespaces) {
    if (namespaces.isEmpty()) {
      return List.of();
    }
    Set<String> all = new TreeSet<>(namespaces);
    all.add(operatorNamespace);
    all.remove("");
    return all.size() >= Sizes.pages(sizes.get().bindings())
        ? List.of(list(BINDING, OURS + "schedulerconfigbindings"))
        : all.stream().map(this::bindings).toList();
  }

  private List<CompletableFuture<ListedState>> namespaces(Set<String> names) {
    return names.size() > Sizes.pages(sizes.get().namespaces())
        ? List.of(list("Namespace", "/api/v1/namespaces"))
        : names.stream().map(this::namespace).toList();
  }

  private CompletableFuture<ListedState> bindings(String namespace) {
    return page(
        BINDING,
        Optional.of(namespace),
        Optional.empty(),
        OURS + "namespaces/" + namespace + "/schedulerconfigbindings",
        "");
  }

  private CompletableFuture<ListedState> namespace(String name) {
    return page(
        "Namespace",
        Optional.empty(),
        Optional.of(name),
        "/api/v1/namespaces",
        "fieldSelector=" + encoded("metadata.name=" + name));
  }

  private CompletableFuture<ListedState> legacyPolicies() {
    return page(
        "ConfigMap",
        Optional.of(operatorNamespace),
        Optional.empty(),
        "/api/v1/namespaces/" + operatorNamespace + "/configmaps",
        "labelSelector=" + encoded(Annotations.LEGACY_POLICY_LABEL + "=true"));
  }

  private CompletableFuture<ListedState> list(String kind, String path) {
    return page(kind, Optional.empty(), Optional.empty(), path, "");
  }

  private CompletableFuture<ListedState> page(
      String kind,
      Optional<String> namespace,
      Optional<String> name,
      String path,
      String selector) {
    return pages(kind, path, selector, "", new ArrayList<>())
        .thenApply(all -> new ListedState(kind, namespace, name, all.version(), all.objects()));
  }

  private record Pages(long version, List<ObjectVersion> objects) {}

  private CompletableFuture<Pages> pages(
      String kind, String path, String selector, String from, List<ObjectVersion> before) {
    String query = "?limit=" + PAGE;
    query += selector.isEmpty() ? "" : "&" + selector;
    query += from.isEmpty() ? "" : "&continue=" + encoded(from);
    HttpRequest request =
        http.newHttpRequestBuilder()
            .uri(server + path + query)
            .header("Accept", METADATA_ONLY)
            .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
            .build();
    return http.sendAsync(request, byte[].class)
        .thenCompose(
            response -> {
              Answer answer = answer(path, response);
              answer.items().forEach(item -> before.add(item.metadata().version(kind)));
              String next = Objects.requireNonNullElse(answer.metadata().next(), "");
              return next.isEmpty()
                  ? CompletableFuture.completedFuture(
                      new Pages(answer.metadata().version(kind).resourceVersion(), before))
                  : pages(kind, path, selector, next, before);
            });
  }

  /** Returns the parsed list; a kind that the API server does not serve has no objects. */
  private static Answer answer(String path, HttpResponse<byte[]> response) {
    if (response.code() == HttpURLConnection.HTTP_NOT_FOUND) {
      return new Answer(new Metadata(null, null, null, null, null, null), List.of());
    }
    byte[] body = Objects.requireNonNullElse(response.body(), new byte[0]);
    if (response.code() != HttpURLConnection.HTTP_OK) {
      throw new UncheckedIOException(
          new IOException("the API server answered " + response.code() + " to list " + path));
    }
    try {
      return LISTS.readValue(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @JsonIgnoreProperties(ignoreUnknown = true)
  private record Answer(Metadata metadata, @Nullable List<Item> items) {
    @Override
    public List<Item> items() {
      return items == null ? List.of() : items;
    }
  }

  @JsonIgnoreProperties(ignoreUnknown = true)
  private record Item(Metadata metadata) {}

  /** The metadata of a list or of an object. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  private record Metadata(
      @Nullable String namespace,
      @Nullable String name,
      @Nullable String uid,
      @Nullable Long generation,
      @Nullable String resourceVersion,
      @JsonProperty("continue") @Nullable String next) {

    ObjectVersion version(String kind) {
      return new ObjectVersion(
          kind,
          text(namespace),
          text(name),
          text(uid),
          generation == null ? 0 : generation,
          ObjectVersion.number(text(resourceVersion)));
    }

    private static String text(@Nullable String value) {
      return value == null ? "" : value;
    }
  }
}
