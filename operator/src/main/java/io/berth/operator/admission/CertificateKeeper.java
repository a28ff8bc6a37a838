package io.berth.operator.admission;

import io.berth.serving.tls.CertificateState;
import io.berth.serving.tls.LiveCertificate;
import io.berth.serving.tls.RenewalRules;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this replica's certificate and its webhook registration up to date. It checks them whenever
 * the Secret or a webhook configuration changes, and once a minute.
 *
 * <p>If API servers do not trust the authority of a new certificate yet, the authority is
 * registered first and the certificate is served {@link #SETTLING} later.
 */
public final class CertificateKeeper implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(CertificateKeeper.class);
  private static final String SERVICE = "berth";

  /** The Service of the API group of queries, whether or not that is served. */
  private static final String QUERY_SERVICE = "berth-query";

  private static final Duration LOOK_EVERY = Duration.ofMinutes(1);
  private static final Duration LOOK_AFTER_FAILURE = Duration.ofSeconds(5);

  /** The time that API servers get to pick up a changed webhook configuration. */
  static final Duration SETTLING = Duration.ofSeconds(5);

  private final KubernetesClient client;
  private final String namespace;
  private final boolean restores;
  private final Clock clock;
  private final SharedCertificate certificates;
  private final PublishedAuthority published;
  private final LiveCertificate live;
  private final Semaphore changes = new Semaphore(0);
  private final Thread thread;
  private final List<AutoCloseable> watches = new ArrayList<>();
  private final List<Consumer<String>> readers = new CopyOnWriteArrayList<>();
  private volatile @Nullable WebhookRegistration registration;
  private volatile boolean closed;
  private volatile String problem = "is not registered with the API server yet";

  // Accessed by the thread alone: the registered bundle and the time of its registration.
  private String registered = "";
  private Instant registeredAt = Instant.EPOCH;

  private CertificateKeeper(
      KubernetesClient client,
      String namespace,
      RenewalRules rules,
      boolean restores,
      Clock clock) {
    this.restores = restores;
    this.client = client;
    this.namespace = namespace;
    this.clock = clock;
    this.certificates =
        new SharedCertificate(
            client,
            namespace,
            rules,
            clock,
            () ->
                new WebhookRegistration(client, Optional.empty(), false, () -> false).published());
    this.published = new PublishedAuthority(client, namespace);
    this.live = new LiveCertificate(certificates.current(), clock);
    this.thread = Thread.ofVirtual().name("certificates").unstarted(this::keep);
  }

  /**
   * Loads the shared certificate, or creates it, and starts to maintain it.
   *
   * @param url the URL at which the API server reaches this host, if not through the Service
   * @param restores whether webhook configurations that somebody deletes are restored
   */
  public static CertificateKeeper start(
      KubernetesClient client, String namespace, Optional<URI> url, boolean restores, Clock clock) {
    List<String> names = new ArrayList<>(RenewalRules.serviceNames(SERVICE, namespace));
    names.addAll(RenewalRules.serviceNames(QUERY_SERVICE, namespace));
    url.map(URI::getHost).ifPresent(names::add);
    CertificateKeeper keeper =
        new CertificateKeeper(client, namespace, RenewalRules.usual(names), restores, clock);
    keeper.watches.add(
        new Watched(
            client.secrets().inNamespace(namespace).withName(SharedCertificate.SECRET),
            keeper::lookSoon));
    keeper.thread.start();
    return keeper;
  }

  /** The certificate that this replica serves. */
  public LiveCertificate live() {
    return live;
  }

  /**
   * Registers the webhook, and maintains the registration from now on.
   *
   * @param url the URL at which the API server reaches the webhook, if not through the Service
   * @param mayMove returns whether this replica may write its URL, as only one of several may
   */
  void register(Optional<URI> url, BooleanSupplier mayMove) {
    WebhookRegistration wanted = new WebhookRegistration(client, url, restores, mayMove);
    registration = wanted;
    watches.add(wanted.watch(this::lookSoon));
    lookSoon();
  }

  /**
   * Passes the authorities of the certificate, in PEM, to a reader soon and then in every check, so
   * that it can publish them; the reader must not throw.
   */
  public void tellAuthorities(Consumer<String> reader) {
    readers.add(reader);
    lookSoon();
  }

  /** Triggers a check soon, as when something may have changed. */
  public void lookSoon() {
    changes.release();
  }

  /** Returns the reason why the API server may not call this webhook; empty if it is registered. */
  Optional<String> registrationProblem() {
    WebhookRegistration current = registration;
    String found = problem;
    if (found.isEmpty() && current != null && current.hasToMove()) {
      return Optional.of("another replica's URL is still registered");
    }
    return Optional.of(found).filter(text -> !text.isEmpty());
  }

  /**
   * Returns the reason why clients may not trust this replica's certificate; empty if it is valid.
   */
  public Optional<String> certificateProblem() {
    Instant end = live.state().serverEnd();
    return clock.instant().isBefore(end)
        ? Optional.empty()
        : Optional.of("the certificate ended at " + end + " and could not be renewed");
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    for (AutoCloseable watch : watches) {
      try {
        watch.close();
      } catch (Exception e) {
        LOG.warn("A watch did not close", e);
      }
    }
  }

  private void keep() {
    while (!closed) {
      Duration pause = look();
      try {
        if (changes.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS)) {
          changes.drainPermits();
        }
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /**
   * Performs the due work on the certificate and the registration, and returns the time until the
   * next check.
   */
  synchronized Duration look() {
    try {
      CertificateState state = certificates.current();
      published.publish(state.caBundle());
      readers.forEach(reader -> reader.accept(state.caBundle()));
      Duration pause = LOOK_EVERY;
      boolean settled = true;
      WebhookRegistration current = registration;
      if (current != null) {
        List<String> missing = current.update(state.caBundle());
        note(missing);
        settled = missing.isEmpty() && isSettled(state);
        pause =
            missing.isEmpty()
                ? LOOK_EVERY
                : current.canPutBack() ? WebhookRegistration.LEFT_ALONE : LOOK_AFTER_FAILURE;
      }
      if (settled || live.state().trusts(state) || certificateProblem().isPresent()) {
        live.exchange(state);
        return pause;
      }
      return pause.compareTo(SETTLING) < 0 ? pause : SETTLING;
    } catch (KubernetesClientException e) {
      if (!closed) {
        LOG.warn(
            "Could not maintain the webhook's certificate or registration: {}; retrying",
            e.getMessage());
      }
      return LOOK_AFTER_FAILURE;
    } catch (RuntimeException e) {
      if (closed) { // its client is closed, too
        LOG.debug("Maintaining the webhook's certificate ended: {}", e.getMessage());
      } else {
        LOG.error("Maintaining the webhook's certificate and registration failed; retrying", e);
      }
      return LOOK_AFTER_FAILURE;
    }
  }

  private boolean isSettled(CertificateState state) {
    if (!state.caBundle().equals(registered)) {
      registered = state.caBundle();
      registeredAt = clock.instant();
    }
    return !clock.instant().isBefore(registeredAt.plus(SETTLING));
  }

  private void note(List<String> missing) {
    String found =
        missing.isEmpty()
            ? ""
            : "there is no %s named berth: apply deploy/manifests/80-webhooks.yaml"
                .formatted(String.join(" and no ", missing));
    if (!found.isEmpty() && !found.equals(problem)) {
      LOG.warn("Webhook: {}", found);
    } else if (found.isEmpty() && !problem.isEmpty()) {
      LOG.info("Webhook registered with the API server, namespace {}", namespace);
    }
    problem = found;
  }
}
