import { useMutation } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { useMe } from "../../api/use-me.ts";

/** A live mail to the person who is logged in, from the domain. */
export function useTestMail(domainName: string) {
  const { email } = useMe();
  const sending = useMutation({
    mutationFn: () =>
      call("POST /api/v1/send", {
        query: { mode: "live" },
        body: {
          from: `noreply@${domainName}`,
          to: [email],
          subject: `Test mail from ${domainName}`,
          text: `This mail shows that ${domainName} can send through Postern. You requested it in the console.`,
        },
      }),
  });
  return { email, sending };
}
