package io.berth.operator.query;

import static io.berth.operator.query.QueryGround.in;
import static io.berth.operator.query.QueryGround.json;
import static io.berth.operator.query.QueryGround.pod;
import static io.berth.operator.query.QueryGround.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.fixtures.Nodes;
import io.berth.operator.http.Health;
import io.berth.operator.http.OperationsServer;
import io.berth.operator.http.ReplicaClient;
import io.berth.serving.http.HttpAnswer;
import io.berth.serving.http.HttpServer;
import io.berth.serving.http.RequestHandler;
import io.berth.serving.http.RequestHead;
import io.berth.serving.http.ServerSettings;
import io.berth.serving.tls.LiveCertificate;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.http.HttpRequest;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reviews that reach the leader, and that a standby answers, over TLS. */
class ForwardedReviewTest {
  private static final String TWO_PODS = pod("3", ", \"replicas\": 2");

  private final LiveCertificate certificate = new LiveCertificate(Certificates.of("localhost"));
  private final ReplicaClient client = new ReplicaClient(certificate.context());
  private final Standbys standbys = new Standbys(Clock.systemUTC());
  private final List<String> results = new ArrayList<>();
  private final AtomicLong nanoTime = new AtomicLong();
  private final AtomicLong nanosPerLook = new AtomicLong();
  private final QueryGround standby = new QueryGround();
  private final QueryGround leader =
      new QueryGround(
          new StandbyReviews(
              this::isLeading,
              standbys,
              client,
              new FrontProxy(),
              results::add,
              () -> nanoTime.getAndAdd(nanosPerLook.get())));
  private boolean leading = true;
  private HttpServer server;

  private boolean isLeading() {
    return leading;
  }

  /** Only the standby knows a node with room for the pods of the reviews. */
  @BeforeEach
  void start() throws IOException {
    standby.know(new ClusterEvent.NodeUpserted(Nodes.node("n3").milliCpu(9_000).build()));
    server = serve(standby.handler());
    standbys.announce("localhost:" + server.port());
  }

  private HttpServer serve(RequestHandler handler) throws IOException {
    return HttpServer.startForClients(
        ServerSettings.forwarded(0, "--query-port"),
        certificate,
        new FrontProxy().authority(),
        handler);
  }

  @AfterEach
  void stop() {
    server.close();
    standby.close();
    leader.close();
    client.close();
  }

  private int placed(HttpAnswer answer) throws IOException {
    return status(answer).path("placed").asInt();
  }

  private HttpAnswer review(String spec) {
    return leader.review("tenant", "team-a", "", spec);
  }

  @Test
  void standbyAnswers_aboutSeveralPods_withTheRightsOfTheUser() throws IOException {
    assertThat(placed(review(TWO_PODS))).as("on the node that the standby knows").isEqualTo(2);
    assertThat(results).containsExactly("answered");
    assertThat(standby.asked())
        .extracting(asked -> asked.getSpec().getUser())
        .isNotEmpty()
        .containsOnly("tenant");
    assertThat(leader.asked())
        .extracting(SubjectAccessReview::getSpec)
        .as("the leader does not forward what the user may not ask")
        .isNotEmpty();
  }

  @Test
  void standbyAnswers_aboutPolicies_andDrainedNodes() throws IOException {
    String policy = "{\"policy\": {\"name\": \"usual\", \"spec\": {}}}";
    assertThat(
            leader
                .create("admin", QueryApi.ROOT + "/policyreviews", "", "PolicyReview", policy)
                .status())
        .isEqualTo(201);
    HttpAnswer drained =
        leader.review("admin", "team-a", "", pod("1", ", \"nodes\": {\"drain\": [\"n1\"]}"));
    assertThat(drained.status()).isEqualTo(201);
    assertThat(results).containsExactly("answered", "answered");
  }

  @Test
  void onePod_isReviewedWhereItArrives() throws IOException {
    assertThat(placed(review(pod("3", "")))).as("the leader knows no room").isZero();
    assertThat(results).isEmpty();
  }

  @Test
  void answersForTheUser_arePassedOn_withTheirHeaders() throws IOException {
    HttpAnswer invalid = review(pod("3", ", \"replicas\": 2, \"policy\": {\"name\": \"none\"}"));
    assertThat(invalid.status()).isEqualTo(422);
    assertThat(json(invalid).path("message").asText()).contains("no usable SchedulingPolicy none");

    HttpAnswer warned =
        leader.review(
            "tenant",
            "team-a",
            "fieldValidation=Warn",
            pod("3", ", \"replicas\": 2, \"colour\": \"red\""));
    assertThat(warned.status()).isEqualTo(201);
    assertThat(warned.headers().get("Warning")).contains("spec.colour");
    assertThat(results).containsExactly("answered", "answered");

    assertThat(leader.review("tenant", "team-b", "", TWO_PODS).status()).isEqualTo(403);
    assertThat(results).as("a request without the right").hasSize(2);
  }

  @Test
  void leaderAnswers_ifTheStandbyIsGone_andAsksItNoMore() throws IOException {
    server.close();
    assertThat(placed(review(TWO_PODS))).isZero();
    assertThat(placed(review(TWO_PODS))).isZero();
    assertThat(results).containsExactly("failed");

    server = serve(standby.handler());
    standbys.announce("localhost:" + server.port());
    assertThat(placed(review(TWO_PODS))).isEqualTo(2);
  }

  @Test
  void standbyThatIsGoneTooLate_isNotReplaced_becauseTheApiServerDoesNotWaitSoLong()
      throws IOException {
    nanosPerLook.set(Duration.ofSeconds(11).toNanos());
    server.close();

    HttpAnswer answer = review(TWO_PODS);

    assertThat(answer.status()).isEqualTo(503);
    assertThat(json(answer).path("message").asText()).contains("has gone; try again");
    assertThat(results).containsExactly("failed");
  }

  @Test
  void leaderAnswers_ifTheStandbyHasNoTime() throws IOException {
    try (HttpServer busy = serve(new Busy())) {
      standbys.failed("localhost:" + server.port());
      standbys.announce("localhost:" + busy.port());
      assertThat(placed(review(TWO_PODS))).isZero();
    }
    assertThat(results).containsExactly("failed");
  }

  @Test
  void secondStandbyIsAsked_ifTheFirstAcceptsNoConnection() throws IOException {
    try (ServerSocket closed = new ServerSocket(0)) {
      standbys.failed("localhost:" + server.port());
      standbys.announce("localhost:" + closed.getLocalPort());
    }
    standbys.announce("localhost:" + server.port());
    assertThat(placed(review(TWO_PODS))).isEqualTo(2);
    assertThat(results).containsExactly("failed", "answered");
  }

  @Test
  void forwardedReview_isNotForwardedAgain() throws IOException {
    HttpAnswer answer =
        leader.forwarded("tenant", in("team-a", "placementreviews"), "PlacementReview", TWO_PODS);
    assertThat(placed(answer)).isZero();
    assertThat(results).isEmpty();
  }

  @Test
  void replicaThatDoesNotLead_answersByItself() throws IOException {
    leading = false;
    assertThat(placed(review(TWO_PODS))).isZero();
    assertThat(results).isEmpty();
  }

  @Test
  void replica_announcesItself_toTheLeader() throws IOException, InterruptedException {
    Standbys known = new Standbys(Clock.systemUTC());
    OperationsServer operations =
        OperationsServer.startSecure(
            0,
            certificate,
            new OperationsServer.Parts(
                new Health(),
                Optional.empty(),
                () -> "",
                (namespace, pod, json, fromReplica) -> HttpAnswer.text(404, "unknown"),
                known::announce));
    String address = "localhost:" + operations.port();
    StandbyAnnouncements announcements =
        new StandbyAnnouncements(client, () -> Optional.of(address), "[::1]:9444");
    try {
      announcements.start(Duration.ofMillis(20));
      await().until(() -> known.preferred().isPresent());
      assertThat(known.preferred()).contains("[::1]:9444");

      assertThat(announce(client, address, "address=no-port").status()).isEqualTo(400);
    } finally {
      announcements.close();
      operations.close();
    }
  }

  private static HttpAnswer announce(ReplicaClient client, String leader, String query)
      throws IOException, InterruptedException {
    return client.send(
        new ReplicaClient.Call(
            "PUT",
            leader,
            OperationsServer.STANDBY,
            query,
            Map.of(),
            HttpRequest.BodyPublishers.noBody(),
            Duration.ofSeconds(5)));
  }

  /** Has no time for any request. */
  private static final class Busy implements RequestHandler {
    @Override
    public Optional<HttpAnswer> refusal(RequestHead head) {
      return Optional.empty();
    }

    @Override
    public HttpAnswer answer(RequestHead head, byte[] body) {
      return ApiStatus.failure(503, "too many reviews are waiting at this replica");
    }
  }
}
