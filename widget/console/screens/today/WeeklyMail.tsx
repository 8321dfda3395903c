import { Check, Failed } from '../../parts/controls.tsx';
import { useAction } from '../../parts/use-action.ts';
import { memberships, type Membership } from '../../account/membership.ts';
import { post } from '../../wire.ts';

/** Whether the user gets the figures each Monday; for a server that sends mail. */
export function WeeklyMail({ chatbot }: { chatbot: string }) {
  const { failure, run } = useAction();
  const isWanted = memberships.value?.find((one) => one.chatbot === chatbot)?.weekly_mail ?? false;
  const change = async (box: HTMLInputElement): Promise<void> => {
    const weekly_mail = box.checked;
    const isChanged = await run(async () => {
      const changed = await post<Membership>(`/api/v1/chatbot/${chatbot}/membership/update`, { weekly_mail });
      memberships.value = memberships.value?.map((one) => (one.chatbot === chatbot ? changed : one));
    });
    if (!isChanged) box.checked = isWanted;
  };
  return (
    <>
      <Check
        label="Mail me the figures of the week before each Monday"
        checked={isWanted}
        onChange={({ currentTarget }) => void change(currentTarget)}
      />
      <Failed failure={failure} />
    </>
  );
}
