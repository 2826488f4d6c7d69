package dev.holdfast.testkit;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/**
 * Plants one of everything that the census counts, and demands that it is seen and then not seen.
 */
final class SelfProof {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private SelfProof() {}

  private static final class Holder {
    static final boolean SEES = prove();
  }

  static void once() {
    if (!Holder.SEES) {
      throw new AssertionError("The census has not proven that it sees.");
    }
  }

  static boolean prove() {
    try {
      proveProcess("in its arguments", true);
      proveProcess("in its environment", false);
      proveZombie();
      proveDescriptor();
      proveThread();
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException("The census can't plant what it should see.", e);
    }
  }

  private static void proveProcess(String where, boolean inArguments) throws IOException {
    var marker = Marker.unique();
    var census = Census.of(marker);
    demand(() -> census.live().isEmpty(), "sees a process that was never started");
    var builder =
        new ProcessBuilder("/bin/sh", "-c", "read line", inArguments ? marker.text() : "");
    if (!inArguments) {
      builder.environment().putAll(marker.environment());
    }
    var planted = builder.start();
    try {
      demand(
          () ->
              census.live().stream().map(ProcessEntry::pid).toList().equals(List.of(planted.pid())),
          "does not see a process with the marker " + where);
    } finally {
      end(planted);
    }
    demand(() -> census.live().isEmpty(), "sees a process that has ended");
  }

  private static void proveZombie() throws IOException {
    var parent = new ProcessBuilder("/bin/sh", "-c", ": & exec sleep 60").start();
    try {
      demand(
          () -> Census.zombies(parent.pid()).size() == 1,
          "does not see the zombie of another parent");
    } finally {
      end(parent);
    }
    demand(() -> Census.zombies(parent.pid()).isEmpty(), "sees a zombie that was reaped");
  }

  private static void proveDescriptor() throws IOException {
    var file = Files.createTempFile("holdfast-census", null).toRealPath();
    try {
      var before = Snapshot.take();
      try (var planted = new FileInputStream(file.toFile())) {
        demand(() -> isOpen(file), "does not see an open descriptor");
        demand(() -> !before.growth().isEmpty(), "does not see that descriptors have grown");
        planted.available();
      }
      demand(() -> !isOpen(file), "sees a descriptor that was closed");
    } finally {
      Files.delete(file);
    }
  }

  private static boolean isOpen(Path file) {
    return Census.descriptors().stream().anyMatch(d -> d.target().equals(file.toString()));
  }

  private static void proveThread() {
    var before = Snapshot.take();
    var end = new CountDownLatch(1);
    var planted =
        Thread.ofPlatform()
            .daemon()
            .name("holdfast-census-plant")
            .start(() -> Uninterrupted.await(end));
    try {
      demand(() -> Census.threads().contains(planted), "does not see a platform thread");
      demand(
          () -> before.growth().stream().anyMatch(line -> line.contains(planted.getName())),
          "does not see that threads have grown");
    } finally {
      end.countDown();
    }
    demand(() -> !Census.threads().contains(planted), "sees a thread that has ended");
  }

  private static void end(Process process) throws IOException {
    process.destroyForcibly();
    Uninterrupted.waitFor(process);
    process.getOutputStream().close();
    process.getInputStream().close();
    process.getErrorStream().close();
  }

  private static void demand(BooleanSupplier condition, String otherwise) {
    if (!Patience.until(LIMIT, condition::getAsBoolean)) {
      throw new AssertionError("The census is not to be believed: it " + otherwise + ".");
    }
  }
}
