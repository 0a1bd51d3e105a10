import { useElementSize } from "@mantine/hooks";
import { IconPhotoOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { call } from "../../api/call.ts";
import { Loading } from "../../parts/loading.tsx";
import { AttachmentList } from "./attachment-list.tsx";
import styles from "./mail-view.module.css";
import { ContentError, type MailWidth } from "./mail-view.tsx";

const widths: Record<MailWidth, number> = { phone: 375, desktop: 720 };
const shownHeight = 520;

/**
 * The address of the mail works once, so each frame asks for its own and no cache keeps it. The frame has no `allow-same-origin`: the
 * mail can read nothing of the console, and the console nothing of the mail.
 */
export function MailFrame({ id, width }: { id: string; width: MailWidth }) {
  const [hasImages, setImages] = useState(false);
  const instance = useId();
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ["content-view", id, hasImages, instance],
    queryFn: ({ signal }) =>
      call("POST /api/v1/send/{id}/content/view", { path: { id }, body: { images: hasImages }, signal }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: false,
  });
  if (error !== null) return <ContentError error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <div className={styles.images}>
        <IconPhotoOff size={15} stroke={1.75} aria-hidden="true" />
        <span>{hasImages ? "Remote images are loaded" : "Remote images are not loaded"}</span>
        {!hasImages && (
          <button type="button" title="Their servers see that somebody looks" onClick={() => setImages(true)}>
            Load images
          </button>
        )}
      </div>
      {data === undefined || isFetching ? (
        <Loading label="Loading the mail" lines={8} height={shownHeight} />
      ) : (
        <Scaled key={data.url} url={data.url} width={width} />
      )}
      {data?.has_attachments && <AttachmentList id={id} />}
    </>
  );
}

/** As wide as a phone or a desktop, and made smaller when the panel is narrower. */
function Scaled({ url, width }: { url: string; width: MailWidth }) {
  const { ref, width: available } = useElementSize();
  const wanted = widths[width];
  const scale = available === 0 ? 1 : Math.min(1, available / wanted);
  return (
    <div className={styles.area}>
      <div ref={ref} className={styles.sheet} style={{ maxWidth: wanted, height: shownHeight }}>
        <iframe
          title="The mail"
          src={url}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          referrerPolicy="no-referrer"
          style={{ width: wanted, height: shownHeight / scale, transform: `scale(${scale})` }}
        />
      </div>
    </div>
  );
}
