package io.berth.serving.http;

import java.util.concurrent.Semaphore;

/**
 * The limited resources that the requests of a server share.
 *
 * @param waiting requests whose body is not complete
 * @param running requests whose body is complete, until the response is sent
 * @param smallBytes the first {@link ServerSettings#freeBodyBytes} bytes of each incomplete body;
 *     those of complete ones are limited by {@code running}
 * @param largeBytes all other bytes of bodies
 * @param discarding the rate at which the rest of all rejected bodies is read
 * @param largeReads held while a chunk of a large body is read
 */
record ServerLimits(
    ServerSettings settings,
    Shares waiting,
    Shares running,
    Shares smallBytes,
    Shares largeBytes,
    ReadRate discarding,
    Semaphore largeReads) {

  static ServerLimits of(ServerSettings settings) {
    return new ServerLimits(
        settings,
        new Shares(settings.maxWaitingRequests()),
        new Shares(settings.maxRequests()),
        new Shares((long) settings.maxRequests() * settings.freeBodyBytes()),
        new Shares(settings.maxBufferedBytes()),
        new ReadRate(settings.discardedBytesPerSecond(), System::nanoTime),
        new Semaphore(1, true));
  }
}
