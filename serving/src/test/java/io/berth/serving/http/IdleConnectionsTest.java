package io.berth.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.junit.jupiter.api.Test;

/** Connections of one address to a server whose requests have no bodies. */
class IdleConnectionsTest {
  private static final ServerSettings SETTINGS = ServerSettings.probes(0, "--port");

  /** The connections that one address may have. */
  private static final int MOST = SETTINGS.maxConnections() / 4 * 3;

  private static final SelectableChannel CHANNEL = channel();

  private final Queue<Runnable> rounds = new ArrayDeque<>();
  private final IdleConnections connections = new IdleConnections(SETTINGS, new Rounds());
  private boolean accepting = true;

  private final class Rounds implements IdleConnections.Intake {
    @Override
    public void setAccepting(boolean nowAccepting) {
      accepting = nowAccepting;
    }

    @Override
    public void afterRound(Runnable task) {
      rounds.add(task);
    }
  }

  private static final class Client extends ByteArrayEndPoint {
    @Override
    public SocketAddress getRemoteSocketAddress() {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), 40_000);
    }
  }

  private static final class Opened extends AbstractConnection {
    Opened(Client client) {
      super(client, Runnable::run);
    }

    @Override
    public void onFillable() {
      throw new AssertionError("nothing is read");
    }
  }

  private static SelectableChannel channel() {
    try {
      return SocketChannel.open();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Client connect() {
    Client client = new Client();
    connections.onAccepting(CHANNEL);
    connections.onOpened(new Opened(client));
    connections.onAccepted(CHANNEL);
    return client;
  }

  private List<Client> connect(int count) {
    List<Client> clients = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      clients.add(connect());
    }
    return clients;
  }

  /** Lets the server read what has arrived, and returns the rounds that it was given for it. */
  private int endPause() {
    int count = 0;
    while (!rounds.isEmpty()) {
      rounds.remove().run();
      count++;
    }
    return count;
  }

  @Test
  void connectionsThatTheServerHasNotRead_areNotReplaced_butNoMoreAreAccepted() {
    List<Client> clients = connect(MOST - 1);
    assertThat(accepting).isTrue();
    clients.addAll(connect(10)); // some may have been accepted before the pause

    assertThat(accepting).isFalse();
    assertThat(clients).allMatch(Client::isOpen);
  }

  @Test
  void pause_endsEarly_whenConnectionsWereAnswered() {
    List<Client> clients = connect(MOST);
    clients.getFirst().close();
    connections.onClosed(new Opened(clients.getFirst()));

    assertThat(endPause()).isEqualTo(1);
    assertThat(accepting).isTrue();
  }

  @Test
  void connectionsWithoutARequest_areReplaced_afterAPauseInWhichTheyWouldHaveBeenRead() {
    List<Client> clients = connect(MOST);
    assertThat(endPause()).isEqualTo(10);
    assertThat(accepting).isTrue();
    assertThat(clients)
        .as("what exceeds the share is closed")
        .filteredOn(Client::isOpen)
        .hasSize(SETTINGS.maxConnections() / 2 + 1); // the last one came when the pause began

    List<Client> later = connect(SETTINGS.maxConnections() / 2);

    assertThat(accepting).isTrue();
    assertThat(later).allMatch(Client::isOpen);
    assertThat(clients).filteredOn(Client::isOpen).containsExactly(clients.getLast());
  }

  @Test
  void acceptance_waitsForFreeConnections_afterAPause() {
    List<Client> clients = connect(SETTINGS.maxConnections());
    clients.forEach(connections::requestBegan);
    assertThat(rounds).hasSize(1);
    for (int i = 0; i < 20; i++) {
      rounds.remove().run();
    }
    assertThat(accepting).isFalse();

    connections.requestEnded(clients.getFirst(), true);
    clients.getFirst().close();
    connections.onClosed(new Opened(clients.getFirst()));
    rounds.remove().run();

    assertThat(accepting).isTrue();
    assertThat(clients).filteredOn(Client::isOpen).hasSize(SETTINGS.maxConnections() - 1);
  }

  @Test
  void connectionThatWasAnswered_isReplacedAtOnce() {
    List<Client> clients = connect(MOST - 1);
    Client answered = clients.get(100);
    connections.requestBegan(answered);
    connections.requestEnded(answered, true);

    Client next = connect();

    assertThat(accepting).isTrue();
    assertThat(next.isOpen()).isTrue();
    assertThat(clients).filteredOn(client -> !client.isOpen()).containsExactly(answered);
  }
}
