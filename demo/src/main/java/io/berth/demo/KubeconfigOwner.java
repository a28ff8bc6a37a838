package io.berth.demo;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The one process that may write a kubeconfig. A second cluster would overwrite the file, and its
 * users' kubectl would silently talk to the other cluster.
 *
 * <p>The lock is on a file beside it, which stays when the process ends; the operating system
 * releases the lock whatever ends the process.
 */
final class KubeconfigOwner implements AutoCloseable {

  private final FileChannel channel;

  private KubeconfigOwner(FileChannel channel) {
    this.channel = channel;
  }

  /** A kubeconfig that another process writes; the message says which process and what to do. */
  static final class OwnedException extends IOException {
    private static final long serialVersionUID = 1L;

    OwnedException(Path kubeconfig, String owner) {
      super(
          kubeconfig
              + " belongs to another make run"
              + (owner.isEmpty() ? "" : ", process " + owner)
              + ": end that one first, or give this one a file of its own with make run OUT=FILE");
    }
  }

  /**
   * Takes the file, and makes its folder.
   *
   * @throws OwnedException when another process has it
   */
  static KubeconfigOwner take(Path kubeconfig) throws IOException {
    Path folder = kubeconfig.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    Path lockFile = kubeconfig.resolveSibling(kubeconfig.getFileName() + ".lock");
    FileChannel channel =
        FileChannel.open(
            lockFile, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    if (lock(channel) == null) {
      channel.close();
      throw new OwnedException(kubeconfig, Files.readString(lockFile).strip());
    }
    channel.truncate(0);
    channel.write(
        ByteBuffer.wrap(
            String.valueOf(ProcessHandle.current().pid()).getBytes(StandardCharsets.UTF_8)));
    return new KubeconfigOwner(channel);
  }

  private static @Nullable FileLock lock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
