package io.berth.operator.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** There is one leader at a time, and a new one when it stops. */
class LeaderElectionTest {

  private static final LeaseTimes FAST =
      new LeaseTimes(Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofMillis(200));

  private Sandbox sandbox;
  private KubernetesClient client;
  private final AtomicInteger leaders = new AtomicInteger();
  private final AtomicInteger mostLeaders = new AtomicInteger();
  private final AtomicInteger losses = new AtomicInteger();

  @BeforeEach
  void start() {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(sandbox.kubeconfig()))
            .build();
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName("berth-system").endMetadata().build())
        .create();
  }

  @AfterEach
  void stop() {
    client.close();
    sandbox.close();
  }

  private LeaderElection candidate(String identity) {
    return new LeaderElection(
        client, "berth-system", "berth", identity, identity + ":8080", FAST, new Count());
  }

  private final class Count implements LeaderListener {
    @Override
    public void startedLeading(Term term) {
      mostLeaders.accumulateAndGet(leaders.incrementAndGet(), Math::max);
    }

    @Override
    public void stoppedLeading(Term ended) {
      leaders.decrementAndGet();
    }

    @Override
    public void lostLease() {
      losses.incrementAndGet();
    }
  }

  private Lease lease() {
    return client.leases().inNamespace("berth-system").withName("berth").get();
  }

  @Test
  void leaderThatCloses_givesTheLeaseToTheOther_whoKnowsWhereItWas() {
    try (LeaderElection two = candidate("two")) {
      try (LeaderElection one = candidate("one")) {
        one.start();
        await().until(one::isLeading);
        two.start();
        await().until(() -> two.holderAddress().isPresent());
        assertThat(two.holderAddress()).contains("one:8080");
        assertThat(two.isLeading()).isFalse();
      }

      await().atMost(Duration.ofSeconds(10)).until(two::isLeading);
      assertThat(lease().getSpec().getHolderIdentity()).isEqualTo("two");
      assertThat(mostLeaders).hasValue(1);
    }
  }

  @Test
  void leaseThatIsGivenBack_isTakenAtOnce_byACandidateThatHearsOfIt() {
    LeaseTimes slow = new LeaseTimes(Duration.ofHours(3), Duration.ofHours(2), Duration.ofHours(1));
    LeaderElection two =
        new LeaderElection(client, "berth-system", "berth", "two", "two:8080", slow, new Count());
    try (two) {
      try (LeaderElection one = candidate("one")) {
        one.start();
        await().until(one::isLeading);
        two.start();
        await().until(() -> two.holderAddress().isPresent());
        two.leaseChanged(lease());
      }
      assertThat(two.isLeading()).isFalse();

      two.leaseChanged(lease());

      await().until(two::isLeading);
      assertThat(mostLeaders).hasValue(1);
    }
  }

  @Test
  void renewalThatACandidateHearsOf_keepsItFromTakingTheLease() {
    long start = Duration.ofDays(1).toNanos();
    long later = start + Duration.ofSeconds(5).toNanos();
    RivalLease rival = new RivalLease();
    Lease held =
        new LeaseBuilder()
            .withNewMetadata()
            .withResourceVersion("1")
            .endMetadata()
            .withNewSpec()
            .withLeaseDurationSeconds(6)
            .endSpec()
            .build();

    rival.seen(held, start);
    rival.seen(held, later);
    assertThat(rival.left(later)).isEqualTo(Duration.ofSeconds(1));

    held.getMetadata().setResourceVersion("2");
    rival.seen(held, later);
    assertThat(rival.left(later)).isEqualTo(Duration.ofSeconds(6));
  }

  @Test
  void termThatItsHolderEnds_isNoLostLease_andNoOtherBegins() {
    AtomicReference<Term> begun = new AtomicReference<>();
    LeaderListener listener =
        new LeaderListener() {
          @Override
          public void startedLeading(Term term) {
            leaders.incrementAndGet();
            begun.set(term);
          }

          @Override
          public void stoppedLeading(Term ended) {}

          @Override
          public void lostLease() {
            losses.incrementAndGet();
          }
        };
    try (LeaderElection one =
        new LeaderElection(client, "berth-system", "berth", "one", "one:8080", FAST, listener)) {
      one.start();
      await().until(() -> begun.get() != null);

      begun.get().end(); // as during shutdown, which then closes the election

      awaitRenewals(2);
    }
    assertThat(losses).hasValue(0);
    assertThat(leaders).as("terms that began").hasValue(1);
  }

  @Test
  void leaseOfALeaderThatVanished_isTakenOverOnlyWhenItHasExpired() {
    try (LeaderElection one = candidate("one")) {
      one.start();
      await().until(one::isLeading);
    }
    await().until(() -> lease().getSpec().getHolderIdentity().isEmpty());
    Lease abandoned = lease();
    abandoned.getSpec().setHolderIdentity("vanished");
    abandoned.getSpec().setLeaseDurationSeconds(3);
    client.resource(abandoned).update();

    long began = System.nanoTime();
    try (LeaderElection two = candidate("two")) {
      two.start();
      await().atMost(Duration.ofSeconds(20)).until(two::isLeading);

      assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofSeconds(3));
      assertThat(lease().getSpec().getLeaseTransitions()).isPositive();
    }
  }

  @Test
  void leader_renewsByOneRequest_andReadsTheLeaseOnlyWhenAnotherHasWrittenIt() {
    AtomicInteger reads = new AtomicInteger();
    Interceptor countingReads =
        new Interceptor() {
          @Override
          public void before(
              BasicBuilder builder, HttpRequest request, Interceptor.RequestTags tags) {
            if ("GET".equals(request.method())) {
              reads.incrementAndGet();
            }
          }
        };
    try (KubernetesClient counted =
            new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(sandbox.kubeconfig()))
                .withHttpClientBuilderConsumer(
                    builder -> builder.addOrReplaceInterceptor("reads", countingReads))
                .build();
        LeaderElection one =
            new LeaderElection(
                counted, "berth-system", "berth", "one", "one:8080", FAST, new Count())) {
      one.start();
      await().until(one::isLeading);
      int before = reads.get();
      awaitRenewals(3);
      assertThat(reads).as("reads during three renewals").hasValue(before);

      client
          .leases()
          .inNamespace("berth-system")
          .withName("berth")
          .edit(
              lease ->
                  new LeaseBuilder(lease)
                      .editMetadata()
                      .addToLabels("a", "b")
                      .endMetadata()
                      .build());
      awaitRenewals(3);

      assertThat(reads).as("reads after another's write").hasValue(before + 1);
      assertThat(lease().getMetadata().getLabels()).containsEntry("a", "b");
      assertThat(losses).hasValue(0);
    }
  }

  private void awaitRenewals(int count) {
    for (int renewal = 0; renewal < count; renewal++) {
      ZonedDateTime before = lease().getSpec().getRenewTime();
      await().until(() -> lease().getSpec().getRenewTime().isAfter(before));
    }
  }

  @Test
  void leaderWhoseLeaseAnotherHolds_stopsLeading() {
    try (LeaderElection one = candidate("one")) {
      one.start();
      await().until(one::isLeading);
      client
          .leases()
          .inNamespace("berth-system")
          .withName("berth")
          .patch(
              PatchContext.of(PatchType.JSON_MERGE), // whatever version there is by now
              "{\"spec\": {\"holderIdentity\": \"usurper\"}}");

      await().atMost(Duration.ofSeconds(5)).until(() -> losses.get() == 1);
      assertThat(leaders).hasValue(0);
      assertThat(one.isLeading()).isFalse();
    }
  }

  /** A listener that counts, and whose fitness to lead the test controls. */
  private final class Choosy implements LeaderListener {
    private final Count count = new Count();
    private final AtomicInteger losses = new AtomicInteger();
    private volatile String unfit = "";

    @Override
    public void startedLeading(Term term) {
      count.startedLeading(term);
    }

    @Override
    public void stoppedLeading(Term ended) {
      count.stoppedLeading(ended);
    }

    @Override
    public void lostLease() {
      losses.incrementAndGet();
    }

    @Override
    public Optional<String> unfit() {
      return unfit.isEmpty() ? Optional.empty() : Optional.of(unfit);
    }
  }

  @Test
  void leaderThatIsNotFitToLead_givesTheLeaseToAnother_andStandsBackUntilItIs() {
    Choosy choosy = new Choosy();
    try (LeaderElection one =
        new LeaderElection(client, "berth-system", "berth", "one", "one:8080", FAST, choosy)) {
      one.start();
      await().until(one::isLeading);

      choosy.unfit = "cannot watch nodes";
      await().until(() -> !one.isLeading());
      try (LeaderElection two = candidate("two")) {
        two.start();
        await().atMost(Duration.ofSeconds(10)).until(two::isLeading);
        await().atMost(Duration.ofSeconds(10)).until(() -> one.holder().equals(Optional.of("two")));
      }
      assertThat(one.isLeading()).isFalse();
      assertThat(choosy.losses).hasValue(0);

      choosy.unfit = "";
      await().atMost(Duration.ofSeconds(10)).until(one::isLeading);
      assertThat(mostLeaders).hasValue(1);
    }
  }

  @Test
  void leaderWhoseRenewingThreadIsStuck_isStoppedByTheWatchdog() throws InterruptedException {
    CountDownLatch release = new CountDownLatch(1);
    AtomicReference<Term> term = new AtomicReference<>();
    AtomicInteger stops = new AtomicInteger();
    LeaderListener stuck =
        new LeaderListener() {
          @Override
          public void startedLeading(Term begun) {
            term.set(begun);
            try {
              release.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }

          @Override
          public void stoppedLeading(Term ended) {
            stops.incrementAndGet();
          }
        };
    try (LeaderElection one =
        new LeaderElection(client, "berth-system", "berth", "one", "one:8080", FAST, stuck)) {
      one.start();
      await().atMost(Duration.ofSeconds(30)).until(() -> term.get() != null);

      await().atMost(Duration.ofSeconds(30)).until(() -> stops.get() == 1);

      assertThat(term.get().holds()).isFalse();
      assertThat(one.isLeading()).isFalse();
      release.countDown();
    }
  }

  @Test
  void leaderThatWasStoppedBeyondItsLease_neverActsOnThatTermAgain_andGivesTheLeaseBack() {
    AtomicLong skipped = new AtomicLong();
    AtomicReference<Term> first = new AtomicReference<>();
    LeaderListener listener =
        new LeaderListener() {
          @Override
          public void startedLeading(Term begun) {
            first.compareAndSet(null, begun);
          }

          @Override
          public void stoppedLeading(Term ended) {
            leaders.incrementAndGet();
          }
        };
    try (LeaderElection one =
        new LeaderElection(
            client,
            "berth-system",
            "berth",
            "one",
            "one:8080",
            FAST,
            listener,
            () -> System.nanoTime() + skipped.get())) {
      one.start();
      await().atMost(Duration.ofSeconds(30)).until(one::isLeading);

      skipped.set(Duration.ofSeconds(60).toNanos()); // SIGSTOP for a minute

      assertThat(first.get().holds()).isFalse();
      await().atMost(Duration.ofSeconds(30)).until(() -> leaders.get() > 0);
      assertThat(first.get().holds()).isFalse();
    }
    assertThat(lease().getSpec().getHolderIdentity()).isNullOrEmpty();
  }
}
