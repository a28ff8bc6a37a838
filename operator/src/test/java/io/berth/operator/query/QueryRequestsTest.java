package io.berth.operator.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.engine.whatif.Mirror;
import io.berth.operator.http.Explainer;
import io.berth.operator.schedule.EngineFeed;
import io.berth.operator.whatif.MirrorThread;
import io.berth.serving.http.HttpAnswer;
import io.berth.serving.http.RequestHead;
import io.berth.webhook.admission.ConfigLookup;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.binding.LiveCatalog;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Requests of two users: {@code admin} may do everything, and {@code tenant} everything in the
 * namespace {@code team-a}.
 */
class QueryRequestsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Clock CLOCK = Clock.systemUTC();
  private static final Set<String> SCHEDULERS = Set.of("berth");

  private static final String EXPLAINED =
      """
      {"namespace": "team-a", "pod": "web", "uid": "u", "at": "2026-01-01T00:00:00Z", "attempts": 2,
       "decision": "Placed", "node": "n1", "policy": "usual", "policyRevision": "1", "nodes": 2,
       "feasibleNodes": 2, "unconsideredNodes": 0, "message": "placed on n1", "notes": [],
       "rejections": [], "victims": ["team-a/old", "team-b/secret"],
       "bestNodes": [{"node": "n1", "total": 10, "plugins": []},
                     {"node": "n2", "total": 9, "plugins": []}],
       "decidedBy": {"runnerUp": "n2", "lead": 1, "plugins": []}}
      """;

  private final List<SubjectAccessReview> reviews = new ArrayList<>();
  private final MirrorThread mirrors =
      new MirrorThread(
          new EngineFeed(
              subscriber -> {
                events().forEach(subscriber);
                return () -> {};
              },
              subscriber -> {}),
          () -> new Mirror(EngineOptions.defaults()),
          CLOCK);
  private final QueryRequests requests =
      new QueryRequests(
          new FrontProxy(),
          new ResourceAccess(this::reviewed, CLOCK),
          new Decisions(),
          new PlacementReviews(
              mirrors,
              new ReviewedPod(
                  new PodMutator(ConfigLookup.nothing(), CLOCK, SCHEDULERS), new KubeEvents()),
              new LiveCatalog("berth-system"),
              SCHEDULERS,
              CLOCK),
          CLOCK);

  /** Explains one pod. */
  private static final class Decisions implements Explainer {
    @Override
    public HttpAnswer explain(String namespace, String pod, boolean json, boolean fromReplica) {
      return pod.equals("web")
          ? HttpAnswer.text(200, EXPLAINED)
          : HttpAnswer.text(404, "there is no decision about it");
    }

    @Override
    public HttpAnswer decisions(String namespace, String after, int limit, boolean fromReplica) {
      return after.isEmpty()
          ? HttpAnswer.text(200, "{\"items\": [%s], \"remaining\": 1}".formatted(EXPLAINED))
          : HttpAnswer.text(503, "no replica leads at the moment");
    }
  }

  private static List<ClusterEvent> events() {
    PolicyCompilation compiled =
        new PolicyCompiler().compile("usual", "1", SchedulingPolicySpec.of(List.of(), List.of()));
    return List.of(
        new ClusterEvent.PolicyServed(((PolicyCompilation.Compiled) compiled).policy()),
        new ClusterEvent.DefaultPolicyChanged("usual"),
        new ClusterEvent.NodeUpserted(Nodes.node("n1").milliCpu(4_000).build()),
        new ClusterEvent.NodeUpserted(Nodes.node("n2").milliCpu(4_000).build()),
        new ClusterEvent.PodUpserted(
            Pods.pod("secret").namespace("team-b").milliCpu(3_000).on("n1").build()),
        new ClusterEvent.PodUpserted(
            Pods.pod("old").namespace("team-a").milliCpu(3_000).on("n2").build()));
  }

  private SubjectAccessReview reviewed(SubjectAccessReview review) {
    reviews.add(review);
    boolean allowed =
        review.getSpec().getUser().equals("admin")
            || "team-a".equals(review.getSpec().getResourceAttributes().getNamespace());
    return new SubjectAccessReviewBuilder(review)
        .withNewStatus()
        .withAllowed(allowed)
        .endStatus()
        .build();
  }

  @AfterEach
  void stop() {
    mirrors.close();
  }

  private HttpAnswer send(
      String method, String path, String query, Map<String, String> headers, String body) {
    Map<String, List<String>> all = new HashMap<>();
    headers.forEach((name, value) -> all.put(name, List.of(value)));
    RequestHead head =
        new RequestHead(method, path, query, all, InetAddress.getLoopbackAddress(), false);
    return requests
        .refusal(head)
        .orElseGet(() -> requests.answer(head, body.getBytes(StandardCharsets.UTF_8)));
  }

  private HttpAnswer get(String user, String path) {
    return send("GET", path, "", Map.of("x-remote-user", user), "");
  }

  private static String in(String namespace, String resource) {
    return "%s/namespaces/%s/%s".formatted(QueryApi.ROOT, namespace, resource);
  }

  private HttpAnswer review(String user, String namespace, String query, String spec) {
    return send(
        "POST",
        in(namespace, "placementreviews"),
        query,
        Map.of("x-remote-user", user, "content-type", "application/json"),
        "{\"apiVersion\": \"%s\", \"kind\": \"PlacementReview\", \"spec\": %s}"
            .formatted(QueryApi.API_VERSION, spec));
  }

  private static String pod(String cpu, String more) {
    return """
    {"pod": {"spec": {"schedulerName": "berth", "containers":
      [{"name": "c", "image": "i", "resources": {"limits": {"cpu": "%s"}}}]}} %s}
    """
        .formatted(cpu, more);
  }

  private static JsonNode json(HttpAnswer answer) throws IOException {
    return JSON.readTree(answer.body());
  }

  private static JsonNode status(HttpAnswer answer) throws IOException {
    assertThat(answer.status())
        .as(new String(answer.body(), StandardCharsets.UTF_8))
        .isEqualTo(201);
    return json(answer).path("status");
  }

  @Test
  void otherMethods_areNotAllowed() {
    for (String method : List.of("PUT", "PATCH", "DELETE")) {
      assertThat(send(method, in("a", "decisions"), "", Map.of(), "").status()).isEqualTo(405);
      assertThat(send(method, in("a", "placementreviews"), "", Map.of(), "").status())
          .isEqualTo(405);
    }
    assertThat(send("GET", in("a", "placementreviews"), "", Map.of(), "").status()).isEqualTo(405);
    assertThat(send("POST", in("a", "placementreviews"), "", Map.of(), "").status())
        .as("without a content type")
        .isEqualTo(415);
    assertThat(get("admin", in("a", "secrets")).status()).isEqualTo(404);
    assertThat(send("GET", in("a", "decisions"), "", Map.of(), "").status())
        .as("without a user")
        .isEqualTo(401);
    assertThat(
            send("GET", in("a", "decisions"), "watch=true", Map.of("x-remote-user", "admin"), "")
                .status())
        .isEqualTo(405);
  }

  @Test
  void documents_describeTheGroup() throws IOException {
    assertThat(json(get("any", QueryApi.ROOT)).path("resources").findValuesAsText("name"))
        .containsExactly("decisions", "placementreviews");
    assertThat(json(get("any", "/openapi/v3" + QueryApi.ROOT)).at("/components/schemas"))
        .hasSize(3);
    assertThat(json(get("any", "/openapi/v2")).path("definitions")).hasSize(3);
    HttpAnswer aggregated =
        send(
            "GET",
            "/apis",
            "",
            Map.of(
                "accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"),
            "");
    assertThat(aggregated.contentType()).contains("as=APIGroupDiscoveryList");
    assertThat(json(aggregated).at("/items/0/versions/0/resources")).hasSize(2);
  }

  @Test
  void decision_isShownAsFarAsTheUserMaySee() throws IOException {
    String path = in("team-a", "decisions/web");
    JsonNode ofAdmin = json(get("admin", path));
    JsonNode ofTenant = json(get("tenant", path));

    assertThat(ofAdmin.toString()).contains("n2").doesNotContain("secret");
    assertThat(ofTenant.toString()).contains("n1").doesNotContain("n2", "secret", "team-b");
    assertThat(ofTenant.at("/status/evictions/names/0").asText()).isEqualTo("old");
    assertThat(ofTenant.at("/status/evictions/ofOtherNamespaces").asInt()).isEqualTo(1);
    assertThat(get("tenant", in("team-b", "decisions/web")).status()).isEqualTo(403);
    assertThat(get("tenant", in("team-a", "decisions/none")).status()).isEqualTo(404);
  }

  @Test
  void decisions_areListedInPages_andAsATable() throws IOException {
    JsonNode list = json(get("tenant", in("team-a", "decisions")));
    assertThat(list.at("/metadata/continue").asText()).isEqualTo("team-a/web");
    assertThat(list.path("items")).hasSize(1);

    HttpAnswer next =
        send(
            "GET",
            in("team-a", "decisions"),
            "continue=team-a%2Fweb",
            Map.of("x-remote-user", "tenant"),
            "");
    assertThat(next.status()).isEqualTo(503);
    assertThat(next.headers()).containsKey("Retry-After");

    JsonNode table =
        json(
            send(
                "GET",
                in("team-a", "decisions"),
                "",
                Map.of("x-remote-user", "tenant", "accept", "application/json;as=Table;v=v1"),
                ""));
    assertThat(table.at("/rows/0/cells/0").asText()).isEqualTo("web");
    assertThat(get("tenant", QueryApi.ROOT + "/decisions").status()).isEqualTo(403);
  }

  @Test
  void accessIsAskedOnce_withTheWholeUser() {
    Map<String, String> user =
        Map.of(
            "x-remote-user", "tenant",
            "x-remote-group", "staff",
            "x-remote-extra-example.com%2fproject", "p1");
    for (int i = 0; i < 3; i++) {
      send("GET", in("team-a", "decisions/web"), "", user, "");
    }

    assertThat(reviews).as("of the decision, and of the right to list nodes").hasSize(2);
    assertThat(reviews.getFirst().getSpec().getGroups()).containsExactly("staff");
    assertThat(reviews.getFirst().getSpec().getExtra())
        .containsEntry("example.com/project", List.of("p1"));
  }

  @Test
  void review_isAnswered() throws IOException {
    JsonNode fits = status(review("admin", "team-a", "", pod("1", "")));
    assertThat(fits.path("result").asText()).isEqualTo("Fits");
    assertThat(fits.at("/nodes/0/name").asText()).startsWith("n");
    assertThat(fits.at("/policy/name").asText()).isEqualTo("usual");

    JsonNode not = status(review("admin", "team-a", "", pod("5", "")));
    assertThat(not.path("result").asText()).isEqualTo("DoesNotFit");
    assertThat(not.at("/notPlacedBecause/reasons/0/wanted").asText()).isEqualTo("5");
    assertThat(not.at("/notPlacedBecause/reasons/0/free").asText()).isEqualTo("1");
    assertThat(not.at("/notPlacedBecause/reasons/0/nodes").asInt()).isEqualTo(2);

    JsonNode most = status(review("admin", "team-a", "", pod("500m", ", \"replicas\": \"Max\"")));
    assertThat(most.path("placed").asInt()).isEqualTo(4);
  }

  @Test
  void answersToATenant_nameNoNodes_andNoPodsOfOtherNamespaces() throws IOException {
    for (String spec :
        List.of(
            pod("1", ""),
            pod("5", ""),
            pod("4", ""),
            pod("2", ", \"replicas\": 5"),
            "{\"podName\": \"old\"}",
            pod("1", ", \"removePods\": [\"old\"]"))) {
      String answer = status(review("tenant", "team-a", "", spec)).toString();
      assertThat(answer).doesNotContain("\"n1\"", "\"n2\"", " n1", " n2", "secret", "team-b");
    }
    assertThat(review("tenant", "team-b", "", pod("1", "")).status()).isEqualTo(403);
    assertThat(
            review("tenant", "team-a", "", pod("1", ", \"nodes\": {\"drain\": [\"n1\"]}")).status())
        .as("suppositions about nodes")
        .isEqualTo(403);
  }

  @Test
  void invalidReviews_areRefused() {
    assertThat(review("admin", "team-a", "", "{}").status()).isEqualTo(422);
    assertThat(review("admin", "team-a", "", pod("1", ", \"replicas\": 0")).status())
        .isEqualTo(422);
    assertThat(review("admin", "team-a", "", pod("1", ", \"policy\": {\"name\": \"x\"}")).status())
        .isEqualTo(422);
    assertThat(review("admin", "team-a", "", "{\"podName\": \"none\"}").status()).isEqualTo(422);
    assertThat(review("admin", "team-a", "", pod("much", "")).status()).isEqualTo(422);
    assertThat(review("admin", "team-a", "dryRun=None", pod("1", "")).status()).isEqualTo(400);
    String unknown = pod("1", ", \"replica\": 3");
    assertThat(review("admin", "team-a", "fieldValidation=Strict", unknown).status())
        .isEqualTo(400);
    assertThat(review("admin", "team-a", "fieldValidation=Warn", unknown).headers().get("Warning"))
        .contains("spec.replica");
    assertThat(review("admin", "team-a", "fieldValidation=Ignore", unknown).status())
        .isEqualTo(201);
  }

  @Test
  void podOfAnotherScheduler_isNotPlaced() throws IOException {
    JsonNode status =
        status(
            review(
                "admin",
                "team-a",
                "",
                "{\"pod\": {\"spec\": {\"containers\": [{\"name\": \"c\", \"image\": \"i\"}]}}}"));

    assertThat(status.path("result").asText()).isEqualTo("OtherScheduler");
  }

  @Test
  void policyOfTheReview_decides() throws IOException {
    JsonNode status =
        status(
            review(
                "admin",
                "team-a",
                "",
                pod(
                    "500m",
                    ", \"policy\": {\"spec\": {\"priorities\": [{\"name\": \"NodeResourcesFit\","
                        + " \"args\": {\"scoringStrategy\": {\"type\": \"MostAllocated\"}}}]}}")));

    assertThat(status.path("result").asText()).isEqualTo("Fits");
    assertThat(
            review(
                    "admin",
                    "team-a",
                    "",
                    pod(
                        "1",
                        ", \"policy\": {\"spec\": {\"priorities\": [{\"name\": \"Unknown\"}]}}"))
                .status())
        .isEqualTo(422);
  }
}
